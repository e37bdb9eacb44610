import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ruleNames, rulePrefixes } from '@cadre/core'
import { expect, it } from 'vitest'
import { pathRules } from '../packages/gate/src/paths/path-resolver.ts'

/** Rules that files emit as `rule: pathRules[kind]`. */
const pathNames: readonly string[] = Object.values(pathRules)
/** The compiler refuses every rule name that is not in `ruleNames` or `rulePrefixes`. */
const emitted = [...ruleNames, ...rulePrefixes]
const packages = path.join(import.meta.dirname, '..', 'packages')
const sources = readdirSync(packages).flatMap((name) =>
  readdirSync(path.join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|spec-helpers)\.ts$/.test(file))
    .map((file) => `${name}/src/${file}`),
)
const rows = rowsIn(readFileSync(path.join(packages, '../docs/explain.md'), 'utf8'))

it('the table in docs/explain.md has every rule name, once', () => {
  expect(rows.flatMap(({ names }) => names).sort()).toEqual([...emitted].sort())
})

it('every file that the table mentions exists', () => {
  const mentioned = rows.flatMap((row) => row.mentioned)
  expect(mentioned.filter((file) => !existsSync(path.join(packages, file)))).toEqual([])
})

it.each(rows)('the files for $names exist and contain the names', ({ names, files }) => {
  expect(files.filter((file) => !existsSync(path.join(packages, file)))).toEqual([])
  const texts = files.map(textOf)
  expect(names.filter((name) => !texts.some((text) => has(text, name)))).toEqual([])
  expect(files.filter((_, at) => !names.some((name) => has(texts[at] ?? '', name)))).toEqual([])
})

it('the table has every file that decides under a rule name', () => {
  const missing = sources.flatMap((file) =>
    rulesIn(textOf(file))
      .filter((name) => !rows.some(({ names, files }) => names.includes(name) && files.includes(file)))
      .map((name) => `${file}: ${name}`),
  )
  expect(missing).toEqual([])
})

it('finds names in code', () => {
  const code = "rule: 'a.b', reason\nrule: `hook: $".concat("{place}`, rule: x, rule === 'c'")
  expect(rulesIn(code)).toEqual(['a.b', 'hook: '])
  expect(rulesIn('rule: pathRules[kind], reason')).toEqual(pathNames)
  expect([has(code, 'a.b'), has(code, 'a'), has(code, 'hook: ')]).toEqual([true, false, true])
})

it('no code builds a rule name from parts, because people search for the name', () => {
  const heads = new Set(ruleNames.flatMap((name) => /^(\w+)\./.exec(name)?.[1] ?? []))
  const built = [...heads].flatMap((head) =>
    sources.filter((file) => file.startsWith('gate/') && textOf(file).includes(`\`${head}.\${`)),
  )
  expect(built).toEqual([])
})

function rowsIn(page: string): { names: string[]; mentioned: string[]; files: string[] }[] {
  const section = page.split('\n## Rules\n')[1] ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `') && !line.startsWith('| `rule`'))
    .map((line) => {
      const [names = '', meaning = '', files = ''] = line.split(' | ')
      return {
        names: codeIn(names).map((name) => name.replace(/…$/, '')),
        mentioned: codeIn(meaning).filter((text) => text.endsWith('.ts')),
        files: codeIn(files).filter((text) => text.includes('/')),
      }
    })
}

function codeIn(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
}

function rulesIn(code: string): string[] {
  const literal = [...code.matchAll(/\brule: (?:'([^']+)'|`(\w+: ))/g)]
  const names = literal.map(([, name, prefix]) => name ?? prefix ?? '')
  return code.includes('rule: pathRules[') ? [...names, ...pathNames] : names
}

/** As a literal: `'calls'`, or the start of a template. Or as one of `pathRules`. */
function has(code: string, name: string): boolean {
  if (pathNames.includes(name) && code.includes('rule: pathRules[')) return true
  return name.endsWith(': ') ? code.includes(`\`${name}\${`) : code.includes(`'${name}'`)
}

function textOf(file: string): string {
  return readFileSync(path.join(packages, file), 'utf8')
}
