import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

interface Run {
  readonly text: string
  readonly colour: string | undefined
  readonly bold: boolean
  readonly dim: boolean
}

const { drawTerminal, readScreen } = (await import(
  new URL('../scripts/lib/ansi-to-svg.mjs', import.meta.url).href
)) as {
  readScreen(output: string): Run[][]
  drawTerminal(
    parts: readonly { readonly caption?: string; readonly lines: readonly (readonly Run[])[] }[],
    options: { readonly title: string; readonly columns: number },
  ): string
}

const plain = { colour: undefined, bold: false, dim: false }
const textsOf = (output: string) => readScreen(output).map((runs) => runs.map(({ text }) => text).join(''))
const draw = (output: string) =>
  drawTerminal([{ lines: readScreen(output) }], { title: 'A run', columns: 80 })

it('escapes markup in text, captions and titles', () => {
  const lines = readScreen('<script>alert("a & b")</script>')
  const svg = drawTerminal([{ caption: '<b>', lines }], { title: '</title><i>', columns: 80 })
  expect(svg).toContain('&#60;script&#62;alert(&#34;a &#38; b&#34;)&#60;/script&#62;')
  expect(svg).not.toMatch(/<script|<b>|<i>/)
})

it('reads colours, bold and dim, and their ends', () => {
  expect(readScreen('a\x1b[31mb\x1b[1mc\x1b[39md\x1b[22me\x1b[2;36mf\x1b[0mg')).toEqual([
    [
      { ...plain, text: 'a' },
      { ...plain, text: 'b', colour: 'red' },
      { ...plain, text: 'c', colour: 'red', bold: true },
      { ...plain, text: 'd', bold: true },
      { ...plain, text: 'e' },
      { ...plain, text: 'f', colour: 'cyan', dim: true },
      { ...plain, text: 'g' },
    ],
  ])
})

it('draws each style as a class that the picture defines', () => {
  const svg = draw('\x1b[1m\x1b[32mdone\x1b[39m\x1b[22m \x1b[2mlater\x1b[22m')
  expect(svg).toMatch(/<tspan [^>]*class="bold green">done<\/tspan>/)
  expect(svg).toMatch(/<tspan [^>]*class="dim">later<\/tspan>/)
  for (const name of ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'])
    expect(svg).toContain(`.${name}{`)
})

it('shows the result after cursor moves and cleared lines', () => {
  expect(textsOf('one\r\ntwo\r\nthree\r\n\x1b[2A\rTWO\x1b[K\r\n')).toEqual(['one', 'TWO', 'three'])
  expect(textsOf('tree\r\nsummary\r\n\x1b[2A\r\x1b[J\x1b[?25hanswer\r\n')).toEqual(['answer'])
  expect(textsOf('\x1b[1G\x1b[0J> \x1b[3Gyes')).toEqual(['> yes'])
})

it('keeps spaces within a line and drops those at its end', () => {
  expect(textsOf('a   b   \n\n  c\n\n')).toEqual(['a   b', '', '  c'])
})

it('places each run at its column', () => {
  expect(draw('ab\x1b[31mcd')).toMatch(/x="18" textLength="16".*>ab<.*x="34" textLength="16".*>cd</)
})

it.each(['chat', 'diff'])('has a picture of a %s with selectable text and no external resources', (name) => {
  const svg = readFileSync(path.join(import.meta.dirname, '..', 'docs', 'pictures', `${name}.svg`), 'utf8')
  expect(svg).toContain('Edit src/parse-duration.js')
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|<script|<image|@import/)
})

it('has a picture for the README with selectable text and no external resources', () => {
  const svg = readFileSync(path.join(import.meta.dirname, '..', 'docs', 'pictures', 'run.svg'), 'utf8')
  expect(svg).toContain('Enter to decide later: 1')
  expect(svg).toMatch(/<tspan [^>]*>completed<\/tspan>/)
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|<script|<image|@import/)
})
