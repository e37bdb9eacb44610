import fc from 'fast-check'
import type { ComponentChild, VNode } from 'preact'
import { expect, test } from 'vitest'
import { markdownNodes, safeAddress } from './markdown-nodes.ts'

const allowed = new Set(
  'p span code pre strong em del a ul ol li blockquote h2 hr br div table thead tbody tr th td'.split(' '),
)
const allowedProps = new Set(
  'key href title target rel start class tabIndex role aria-label children'.split(' '),
)

/** All elements of a tree, and its text. */
function walk(node: ComponentChild): { elements: VNode[]; text: string } {
  if (Array.isArray(node)) {
    const parts = node.map(walk)
    return { elements: parts.flatMap((part) => part.elements), text: parts.map((part) => part.text).join('') }
  }
  if (node === null || node === undefined || typeof node === 'boolean') return { elements: [], text: '' }
  if (typeof node !== 'object') return { elements: [], text: String(node) }
  const vnode = node as VNode<{ children?: ComponentChild }>
  const below = walk(vnode.props.children as ComponentChild)
  return { elements: [vnode as VNode, ...below.elements], text: below.text }
}

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[click](javascript:alert(1))',
  '[click](JaVaScRiPt:alert(1))',
  '[click](&#106;avascript:alert(1))',
  '[click](java\nscript:alert(1))',
  '[click](data:text/html,<script>alert(1)</script>)',
  '[click](vbscript:x)',
  '[click](file:///etc/passwd)',
  '[click](/api/logout)',
  '[click](//evil.test/x)',
  '![x](https://evil.test/pixel.png)',
  '<a href="javascript:alert(1)">x</a>',
  '<iframe src=//evil.test></iframe>',
  '<svg onload=alert(1)>',
  '`<b>`',
  '|a|b|\n|-|-|\n|<b>|[x](javascript:1)|',
  '> '.repeat(200),
  '- '.repeat(200),
  '*'.repeat(500),
  '['.repeat(2000),
  '<'.repeat(2000),
  '&lt;script&gt;',
  '\u0000\u202e',
  '<!-- --><style>*{}</style>',
]

test.each(hostile)('makes only known elements of %j', (text) => {
  check(text)
})

test('makes only known elements of anything', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...hostile,
      '\n',
      '\n\n',
      '    ',
      '```',
      '# ',
      '1. ',
      '[a]: javascript:x',
      '|',
      '_',
      '**',
    ),
    fc.string(),
  )
  fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => check(pieces.join(''))))
})

function check(text: string): void {
  for (const { type, props } of walk(markdownNodes(text)).elements) {
    expect(allowed).toContain(type)
    for (const [name, value] of Object.entries(props)) {
      expect(allowedProps).toContain(name)
      if (name === 'href') expect(value).toMatch(/^(https?|mailto):/)
    }
  }
}

test('shows HTML as the text that it is', () => {
  expect(walk(markdownNodes('a <b onclick=x>b</b> c')).text).toBe('a <b onclick=x>b</b> c')
  expect(walk(markdownNodes('<div>\n<p>x</p>\n</div>')).text).toContain('<p>x</p>')
})

test('reads what people write in the file', () => {
  const { elements, text } = walk(
    markdownNodes(
      '# Title\n\nSome *text* with `code` &amp; a [link](https://a.test/x).\n\n- [x] one\n- two\n\n```ts\nlet a\n```',
    ),
  )
  const types = elements.map(({ type }) => type)
  for (const type of ['h2', 'em', 'code', 'a', 'ul', 'li', 'pre']) expect(types).toContain(type)
  expect(text).toContain('Some text with code & a link.')
  expect(text).toContain('☑ one')
})

test.each([
  ['https://a.test/x', 'https://a.test/x'],
  ['mailto:a@b.test', 'mailto:a@b.test'],
  ['javascript:alert(1)', undefined],
  ['/api/logout', undefined],
  ['', undefined],
])('the address %s may be %s', (address, expected) => {
  expect(safeAddress(address)).toBe(expected)
})

test('shows a paragraph with thousands of marks as it is, because reading it would stop the page', () => {
  const text = '_a__'.repeat(20_000)
  const { elements, text: shown } = walk(markdownNodes(text))
  expect([elements.length, shown]).toEqual([1, text])
  // Long lists are read: each item is a paragraph.
  expect(walk(markdownNodes('- **a** b\n'.repeat(1_000))).elements.length).toBeGreaterThan(2_000)
})
