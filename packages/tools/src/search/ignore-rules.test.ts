import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { type IgnoreRules, ignoreRules } from './ignore-rules.ts'
import { walkFolder } from './walk.ts'

const withSpaces = '|a |a\\ |a\\  |a\\\\ | a|a\t|a\r|a\r\nb\r\n|\uFEFFa|a\n#b\n\n  \nab'.split('|')
const severalLines = [
  '*\n!a',
  '*\n!*/\n!ab',
  'ab\n!ab',
  'd/\n!d/a',
  'a*\n!aa?',
  'd/*\n!d/e\n!d/e/a',
  '\\!a\n#a',
]
const patterns = String.raw`
  ! / // !a #a \#a \!a /a ./a a/ /d/ //a d//a d/a d/e/ e e/ e/a a// d\/a \d/e\/a a/. ../a A $ ^a é ?é é* \é
  * ** *** /* /** */ **/ /**/ **/** *a a* *.b *a*b* ? ?? ???? d/* d/** d/**/ d/**/a **/a **/e **/e/** */a */*/a
  d/*/a **/*/a d/e** d**/a d/**a d/e**/a **d/a ***/a d/***/a **\/a d/**\/a ?**/a [d]**/a **/**/ab d/**/**/a
  [ab] [!a] [^a] [a-c] []a] [!]a] [a-] [-a] [a [] [!] [\]a] [\a-\c] [c-a] [--a] [!-a] [a-c-e] [ \[ [[] \ a\ \\ a\\
  [[:alpha:]] [![:alpha:]] [[:none:]] [[:alpha] [[:alpha:]b [[:] [:alpha:] [a-[:digit:]] [[:upper:]] [[:punct:]]
  d[/]a d[!x]a d[/]/a d[.-0]a {a} {a,b} {a [{]a[}] ?a} [é] [!a][!a] [[:digit:]-a] [[:alpha:]-] [a\]
`
const signs = [...'aab*?[]!-^\\{ .dé', '/', '**', '**/', '/**', '[a-c]', '[!', '[[:alpha:]]', 'd/', '\\/']
const lines = fc
  .array(fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 })
  .map((all) => all.map((parts) => parts.join('')).join('\n'))

const names = 'a|ab|aab|a.b|A|a | a|a\t|a\\|#a|!a|{a}|[a|]|-|^a|é|aé'.split('|')
const below = ['d', 'd/e', 'd/e/d', 'dd', 'e', 'dx/e', 'éd'].flatMap((folder) => [
  `${folder}/a`,
  `${folder}/ab`,
])
const files = [...names, ...below]

it('ignores the same files as git', { timeout: 120_000 }, () => {
  const root = temporaryFolder()
  const numRuns = process.env['CADRE_DEEP'] ? 5_000 : 200
  const generated = fc.sample(lines, { numRuns, seed: Number(process.env['CADRE_SEED'] ?? 1) })
  const texts = [...withSpaces, ...severalLines, ...patterns.trim().split(/\s+/), ...generated]
  for (const [at, text] of texts.entries()) write(root, `${at}/.gitignore`, text)
  const ignored = ignoredByGit(
    root,
    texts.flatMap((_, at) => files.map((file) => `${at}/${file}`)),
  )
  const wrong = texts.flatMap((text, at) => {
    const rules = ignoreRules(text)
    return files
      .filter((file) => isIgnored(rules, file) !== ignored.has(`${at}/${file}`))
      .map((file) => ({ text, file }))
  })
  expect(wrong).toEqual([])
  expect(ignored.size).toBeGreaterThan(1_000)
})

/** Git does not search an ignored folder. */
function isIgnored(rules: IgnoreRules, file: string): boolean {
  const parts = file.split('/')
  return parts.some((_, at) => rules(parts.slice(0, at + 1).join('/'), at < parts.length - 1))
}

it('applies the rules of the innermost folder first, and none of a file that is a link', async () => {
  const root = temporaryFolder()
  for (const file of ['x.log', 'a/x.log', 'a/b/x.log', 'a/b/y', 'linked/y', 'linked/x.log'])
    write(root, file, '')
  write(root, '.gitignore', '*.log\n/y\n')
  write(root, 'a/.gitignore', '!x.log\n')
  write(root, 'a/b/.gitignore', '/x.log\n')
  symlinkSync('../a/.gitignore', path.join(root, 'linked', '.gitignore'))
  const found: string[] = []
  for await (const file of walkFolder(root, '.', new AbortController().signal)) found.push(file)
  expect(found.filter((file) => !file.endsWith('.gitignore'))).toEqual(['a/b/y', 'a/x.log', 'linked/y'])
  expect([...ignoredByGit(root, [...found, 'x.log', 'a/b/x.log', 'linked/x.log'])]).toEqual([
    'x.log',
    'a/b/x.log',
    'linked/x.log',
  ])
})

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-ignored-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

function write(root: string, file: string, text: string): void {
  mkdirSync(path.join(root, path.dirname(file)), { recursive: true })
  writeFileSync(path.join(root, file), text)
}

function ignoredByGit(root: string, files: readonly string[]): Set<string> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const git = (args: string[], input = '') =>
    execFileSync('git', args, { cwd: root, env, input, maxBuffer: 1e9, stdio: 'pipe' })
  git(['init', '--quiet'])
  const output = git(['check-ignore', '--stdin', '-z', '--no-index'], files.join('\0'))
  return new Set(
    output
      .toString()
      .split('\0')
      .filter((file) => file !== ''),
  )
}
