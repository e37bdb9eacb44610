import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStyle } from '../style.ts'
import { textWidth } from '../text-width.ts'
import { MarkdownStream } from './markdown-stream.ts'
import { renderMarkdown } from './render-markdown.ts'

const bare = createStyle(false)
const coloured = createStyle(true)
const render = (text: string, columns = 60) => renderMarkdown(text, { columns, style: bare })
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours.
const plain = (line: string) => line.replace(/\x1b\[\d+m/g, '')

describe('blocks', () => {
  it('renders headings, paragraphs, lists, tasks and quotes', () => {
    const text =
      '# Plan\nTwo lines\nof one paragraph.\n- one\n  - below\n    more\n- [x] done\n- [ ] open\n\n3. third\n> quoted\n> > twice'
    expect(render(text)).toEqual([
      'Plan',
      '',
      'Two lines of one paragraph.',
      '• one',
      '  • below more',
      '• ☑ done',
      '• ☐ open',
      '',
      '3. third',
      '│ quoted',
      '│ │ twice',
    ])
  })

  it('aligns the columns of a table, and wraps cells instead of the table', () => {
    const text = '| name | count |\n|---|--:|\n| a | 1 |\n| `x | y` | 22 |\n| long words in a cell | 3 |'
    expect(render(text, 20)).toEqual([
      'name         │ count',
      '─────────────┼──────',
      'a            │     1',
      'x | y        │    22',
      'long words   │     3',
      'in a cell    │',
    ])
  })

  it('turns a table with too many columns into a list', () => {
    const text = `|${'head|'.repeat(12)}\n|${'-|'.repeat(12)}\n|${'some value|'.repeat(12)}`
    const lines = render(text, 40)
    expect(lines).toHaveLength(12)
    expect(lines[0]).toBe('head: some value')
  })

  it('keeps the spaces of code and colours it by language', () => {
    expect(render('```ts\nif (a)  {\n    b()\n}\n```\nafter')).toEqual([
      '  if (a)  {',
      '      b()',
      '  }',
      '',
      'after',
    ])
    const lines = renderMarkdown('```ts\nconst a = "x" // why\n```', { columns: 60, style: coloured })
    expect(lines[0]).toBe('  \x1b[35mconst\x1b[39m a = \x1b[32m"x"\x1b[39m \x1b[2m// why\x1b[22m')
  })

  it('shows the address of a link next to its text', () => {
    expect(render('See [the docs](https://example.com/x) or <https://example.com>.')).toEqual([
      'See the docs (https://example.com/x) or https://example.com.',
    ])
  })

  it('leaves names with underscores, products and unclosed marks alone', () => {
    expect(render('snake_case_name 2*3*4 **open `tick')).toEqual(['snake_case_name 2*3*4 **open `tick'])
  })

  it('leaves nothing that a terminal would interpret', () => {
    const text = '# a\x1b[2J\n- \x1b]0;owned\x07b\n```\n\x1b[31mred\x9b1A\n```\n| \x1b[H | x |\n|--|--|\n'
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there.
    expect(render(text).join('')).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
    expect(render(text).join('')).not.toContain('owned')
  })

  it('measures wide characters and emoji', () => {
    expect(render('世界世界世界世界', 5)).toEqual(['世界', '世界', '世界', '世界'])
    expect(render('ab 👩‍👩‍👧 cd', 5)).toEqual(['ab 👩‍👩‍👧', 'cd'])
  })

  it('renders a long hostile text in linear time', () => {
    const pieces = [
      '*',
      '**a',
      '`',
      '[',
      '[a](',
      '_a',
      '> ',
      '- ',
      '|',
      '<http://',
      '\\',
      '~~a',
      '\n',
      '- a\n',
    ]
    for (const piece of pieces) expect(render(piece.repeat(10_000)).length).toBeLessThan(20_000)
  })
})

const word = fc.constantFrom('a', 'word', 'longer-word', 'snake_case', '世界', 'é', '👍', 'x'.repeat(30))
const inline = fc.oneof(
  word,
  word.map((text) => `**${text}**`),
  word.map((text) => `\`${text}\``),
  word.map((text) => `[${text}](https://example.com)`),
  fc.constantFrom('*', '`', '|', '\x1b[31m', '\x1b]0;t\x07', '\\', '_x'),
)
const sentence = fc.array(inline, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '))
const lead = fc.constantFrom(
  '',
  '',
  '# ',
  '- ',
  '  - ',
  '    * ',
  '1. ',
  '> ',
  '> - ',
  '```',
  '```js',
  '| ',
  '---',
  '   ',
)
const document = fc
  .array(
    fc.oneof(
      fc.tuple(lead, sentence).map((parts) => parts.join('')),
      fc.constant(''),
      fc.constant('|--|--|'),
    ),
    { maxLength: 20 },
  )
  .map((lines) => lines.join('\n'))
const columns = fc.integer({ min: 40, max: 200 })
const runs = { numRuns: process.env['CADRE_DEEP'] ? 5_000 : 20 }

describe('for any text', () => {
  it('gives the same lines for any split into chunks', () => {
    fc.assert(
      fc.property(document, columns, fc.array(fc.nat(12), { minLength: 1 }), (text, width, sizes) => {
        const stream = new MarkdownStream({ columns: width, style: coloured })
        const lines: string[] = []
        for (let at = 0, n = 0; at < text.length; n++) {
          const size = 1 + (sizes[n % sizes.length] as number)
          lines.push(...stream.add(text.slice(at, at + size)))
          // Reading the open part changes nothing.
          stream.tail()
          at += size
        }
        lines.push(...stream.end())
        expect(lines).toEqual(renderMarkdown(text, { columns: width, style: coloured }))
      }),
      runs,
    )
  })

  it('makes no line wider than the screen, and passes no control characters on', () => {
    fc.assert(
      fc.property(
        fc.oneof(document, fc.string({ unit: 'binary', maxLength: 300 })),
        columns,
        (text, width) => {
          const lines = renderMarkdown(text, { columns: width, style: coloured }).map(plain)
          expect(lines.filter((line) => textWidth(line) > width)).toEqual([])
          // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there.
          expect(lines.join('')).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
        },
      ),
      runs,
    )
  })

  it('splits no word that fits into a line', () => {
    const prose = fc.array(fc.stringMatching(/^[a-z]{1,19}$/), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(
        prose,
        fc.constantFrom('', '- ', '> ', '## ', '    - '),
        columns,
        (words, before, width) => {
          const lines = render(`${before}${words.join(' ')}`, width)
          expect(lines.flatMap((line) => line.match(/[a-z]+/g) ?? [])).toEqual(words)
        },
      ),
      runs,
    )
  })
})

describe('text that could block the process', () => {
  // Earlier, each of these took from half a minute to hours.
  it.each([
    ['[a](', 7_900],
    ['![a](', 7_900],
    ['[a](b(', 7_900],
    ['`', 100_000],
  ])('is rendered: %j repeated', (piece, size) => {
    expect(render(piece.repeat(size / piece.length)).length).toBeGreaterThan(10)
  })

  it.each([
    ['a heading', '# a', ' ', 'b'],
    ['the start of code', '```', 'a', '`'],
    ['the delimiter line of a table', 'a|b\n|', ' ', 'x'],
  ])('is rendered: %s without an end', (_, start, piece, end) => {
    expect(render(`${start}${piece.repeat(200_000)}${end}`).length).toBeGreaterThan(0)
  })

  it('keeps addresses with brackets', () => {
    expect(render('[a](https://b.example/c_(d)) and ![e](f_(g).png)')).toEqual([
      'a (https://b.example/c_(d)) and e (f_(g).png)',
    ])
  })
})
