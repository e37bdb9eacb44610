import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { bin } from './support/cadre.ts'

const { asciiOnly, isAscii } = (await import(
  new URL('../../scripts/lib/bundle-plugins.mjs', import.meta.url).href
)) as {
  asciiOnly: { generateBundle(this: { parse(code: string): object }, options: object, files: object): void }
  isAscii(text: string): boolean
}

const loader = pathToFileURL(path.join(path.dirname(bin), 'load-bundle.js')).href
const bundle = pathToFileURL(path.join(path.dirname(bin), '..', 'dist', 'bundle', '/')).href
/** Runs `cadre --version` from the bundle and reports whether V8 accepted the cached code of its first file. */
const look = `const { loadBundle } = await import('${loader}')
process.argv = [process.execPath, 'cadre', '--version']
const scripts = [...loadBundle(new URL('${bundle}')).values()]
console.log(scripts.map(({ cachedDataRejected }) => cachedDataRejected).join())`

const run = (...flags: string[]) =>
  execFileSync(process.execPath, [...flags, '--input-type=module', '-e', look], { encoding: 'utf8' })

test('the Node that made the cached code uses it', () => {
  expect(run()).toMatch(/^cadre \d+\.\d+\.\d+ .*\nfalse(,false)*\n$/)
})

test('if V8 rejects the cached code, the bundle is compiled and works the same', () => {
  expect(run('--no-lazy')).toMatch(/^cadre \d+\.\d+\.\d+ .*\ntrue(,true)*\n$/)
})

test('the bundle is ASCII, because the loader reads it as such', () => {
  const folder = fileURLToPath(bundle)
  const files = readdirSync(folder).filter((name) => name.endsWith('.cjs'))
  expect(files).toContain('main.cjs')
  expect(files.filter((name) => !isAscii(readFileSync(path.join(folder, name), 'utf8')))).toEqual([])
})

test.each([
  ['a string', `'\u2026 \u{1F600}'`],
  ['a template', `\`\u2026\${1}\u2192\``],
  ['a backslash before the character', `'\\\u2026'`],
  ['two backslashes before the character', `'\\\\\u2026'`],
  ['a class of a regular expression', `'x\u{1F600}y'.replace(/[\u2026\u{1F600}]/u, '')`],
  ['an escaped character of a regular expression', `'\u2026'.replace(/\\\u2026/, 'y')`],
  ['a name', `{ \u00e9: 1 }.\u00e9`],
])('an escape in %s has the same meaning', (_what, code) => {
  const escaped = withEscapes(`(${code})`)
  expect(isAscii(escaped)).toBe(true)
  expect(runInNewContext(escaped)).toBe(runInNewContext(`(${code})`))
})

test('a tagged template with other characters is rejected, because it sees the text as written', () => {
  const quasi = { quasis: [{ value: { raw: '\u2026' } }] }
  const parse = () => ({ type: 'Program', body: [{ type: 'TaggedTemplateExpression', quasi }] })
  expect(() => withEscapes('tag`\u2026`', parse)).toThrow('as escapes')
})

function withEscapes(code: string, parse: () => object = () => ({})): string {
  const chunk = { type: 'chunk', code }
  asciiOnly.generateBundle.call({ parse }, {}, { chunk })
  return chunk.code
}
