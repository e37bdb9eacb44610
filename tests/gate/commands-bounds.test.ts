import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createPathResolver, interpretLine, judgeLine, readAllowlist } from '@cadre/gate'
import { describe, expect, it } from 'vitest'
import { share } from '../support/amount.ts'

const workspace = mkdtempSync(path.join(tmpdir(), 'bounds-'))
mkdirSync(path.join(workspace, '.cadre', 'storage'), { recursive: true })
symlinkSync('/etc', path.join(workspace, 'link'))

function judge(line: string, list = '', cwd?: string) {
  const { allowlist } = readAllowlist(list, 'list.yaml')
  const options = {
    allowlists: () => [allowlist],
    execute: 'ask' as const,
    sandboxed: true,
    places: createPathResolver({}),
    beforehand: true,
  }
  return judgeLine(line, workspace, options, cwd)
}

const times = (text: string, count: number) => text.repeat(count)

/** Each of these once took seconds, minutes or forever: they must be judged, and never allowed. */
const heavy: readonly (readonly [name: string, line: string])[] = [
  ['dots behind a home', `rm -rf ~/${times('.', 60)}x`],
  ['dots and slashes behind a home', `rm -rf ~${times('/.', 1_900)}x`],
  ['slashes', `rm -rf ${times('/', 4_000)}x`],
  ['a million letters', `ls ${times('a', 1_000_000)}`],
  ['wrappers', `${times('env ', 15_000)}ls`],
  ['wrappers that read again', `${times('eval ', 12_000)}ls`],
  ['programs behind find', `${times('find . -exec ', 4_500)}ls`],
  ['different paths', `cat ${Array.from({ length: 9_000 }, (_, at) => `f${at}`).join(' ')}`],
  ['globs', `cat ${Array.from({ length: 2_000 }, (_, at) => `*/${at}`).join(' ')}`],
  ['comments of a database', `psql -c '${times('--', 30_000)}'`],
  ['open comments of a database', `psql -c '${times('/*', 30_000)}'`],
  ['braces', `rm -rf ${times('{a,b}', 12_000)}`],
  ['variables with braces', `${times('cd a;', 8)}A='${times('{a,b}', 9)} '; rm -r ${times('$A', 30_000)} &`],
  ['groups', `${times('(', 20_000)}ls${times(')', 20_000)}`],
  ['substitutions', `${times('$(', 15_000)}ls${times(')', 15_000)}`],
  ['shells that read', `echo '${times('ls;', 100)}' | ${times('sh | ', 500)}sh`],
  ['here-documents for shells', times('cat <<A | sh\nls\nA\n', 300)],
]

describe('lines that are made to take long', () => {
  it.each(share(heavy, 2, 1))('%s', (_, line) => {
    expect(judge(line).kind).not.toBe('allow')
  })

  it('resolves variables only up to a limit', () => {
    const value = times('{a,b} ', 33)
    const used = `A='${value}'; rm ${times('$A ', 20_000)} &`
    const nested = `bash -c 'A="${value}"; rm ${times('$A ', 50)}';`
    for (const line of [used, times(nested, 120)]) {
      const letters = interpretLine(line).commands.map(({ texts }) => texts.join(' ').length)
      expect(Math.max(...letters)).toBeLessThan(2 * 65_536 + 1)
      expect(letters.reduce((sum, count) => sum + count)).toBeLessThan(10 * 65_536)
    }
  })

  it('denies xargs with more input than it can check', () => {
    const copies = `echo ${times('a ', 9_000)}| xargs -I{} sh -c '${times('{}', 9_000)}'`
    expect(interpretLine(copies).refused?.rule).toBe('dangerous: xargs')
  })

  it('parses an awk program once', () => {
    expect(judge(`awk '${times('print ', 10_000)}' f`).kind).toBe('allow')
  })

  it.each(['/^a*a*a*a*b/', '/^a*a*a*b/', '/a*a*b/'])('the expression %s', (pattern) => {
    for (const length of [100, 119, 290, 1_400, 4_000])
      expect(judge(times('a', length), `${pattern}: deny`).kind).toBe('ask')
  })
})

describe('the target of a line', () => {
  const list = 'cp: true\ntouch: true\ntar: true'

  it.each([
    'cat l*/passwd',
    'cat */passwd',
    'cat ?ink/passwd',
    'ls li*',
    'cat */../x',
    'echo link/*',
    'echo /etc/*',
  ])('needs approval outside: %s', (line) => {
    expect(judge(line, list).kind).toBe('ask')
  })

  it.each([
    'touch .c*/storage',
    'cp x .c*/storage/new.yaml',
    'cp x .cadr?/storage',
    'cp --target-directory=.cadre x',
    'cp -t.cadre x',
    'cp -vt.cadre x',
    'tar -xf a --directory=.cadre',
  ])('is denied if protected: %s', (line) => {
    expect(judge(line, list).kind).toBe('deny')
  })

  it('is relative to the folder of the line', () => {
    const storage = path.join(workspace, '.cadre', 'storage')
    expect(judge('touch policy.yaml', list).kind).toBe('allow')
    expect(judge('touch policy.yaml', list, storage).kind).toBe('deny')
    expect(judge('cat ../../x', list, storage).kind).toBe('allow')
    expect(judge('cat ../../../x', list, storage).kind).toBe('ask')
  })
})

describe('an interpreter', () => {
  it.each(['python3 -V', 'python3 --version', 'node -v'])('%s prints its version and is allowed', (line) => {
    expect(judge(line).kind).toBe('allow')
  })
})

describe('an invalid list', () => {
  it.each([
    ['a key twice', 'cat: deny\ncat: deny\nls: true'],
    ['no mapping', '- cat'],
    ['two documents', 'cat: deny\n---\nls: true'],
    ['too deep', `a: ${'['.repeat(5_000)}`],
    ['an invalid regular expression that denies', '/^(ca*t)+$/: deny\nls: true'],
  ])('asks about every command: %s', (_, list) => {
    expect([judge('cat x', list).kind, judge('ls', list).kind]).toEqual(['ask', 'ask'])
    expect(judge('rm -rf /', list).kind).toBe('deny')
  })

  it('still denies what it can parse', () => {
    expect(judge('cat x', '/^(l*s)+$/: deny\ncat: deny').kind).toBe('deny')
  })

  it('loses only the entries that would have allowed', () => {
    expect(judge('ls', '/^(l*s)+$/: allow\nfoo: yes').kind).toBe('allow')
  })
})
