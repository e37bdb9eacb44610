import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '..')
const pages = ['.', 'docs', 'docs/decisions'].flatMap((folder) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name)),
)

it.each(pages)('%s links only to files and headings that exist', (page) => {
  const broken = linksIn(textOf(page)).filter((link) => !resolves(link, page))
  expect(broken).toEqual([])
})

describe('the checker', () => {
  it.each([
    ['README.md', true],
    ['docs', true],
    ['docs/trust.md#run-flags', true],
    ['docs/trust.md#no-such-heading', false],
    ['docs/no-such-page.md', false],
  ])('resolves %s: %s', (link, expected) => {
    expect(resolves(link, 'README.md')).toBe(expected)
  })

  it('makes anchors like GitHub', () => {
    expect(anchorsOf('# A b\n```\n# c\n```\n## `cadre run`: D, e-f_g\n')).toEqual([
      'a-b',
      'cadre-run-d-e-f_g',
    ])
  })

  it('ignores code and other sites', () => {
    const text = '[a](a.md) `[b](b.md)`\n```\n[c](c.md)\n```\n[d](https://d.example) [e](#e)'
    expect(linksIn(text)).toEqual(['a.md', '#e'])
  })
})

function linksIn(markdown: string): string[] {
  const text = withoutFences(markdown).replace(/`[^`\n]*`/g, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^\w+:/.test(link))
}

function resolves(link: string, page: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? page : path.join(path.dirname(page), file)
  if (!existsSync(path.join(root, target))) return false
  return anchor === undefined || anchorsOf(textOf(target)).includes(anchor)
}

/** Without the numbers that GitHub adds to repeated headings. */
function anchorsOf(markdown: string): string[] {
  return [...withoutFences(markdown).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^(`{3,}).*\n[\s\S]*?^\1`*$/gm, '')
}

function textOf(page: string): string {
  return readFileSync(path.join(root, page), 'utf8')
}
