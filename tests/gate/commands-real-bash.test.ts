import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readCommandLine } from '@cadre/gate'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'

const table = readFileSync(path.join(import.meta.dirname, 'bypass', 'commands.yaml'), 'utf8')
// Nothing of this leaves its folder: no paths, no other folder, no signals, nothing that waits or goes on for ever.
const leaves =
  /[/~\0]|kill|while|until|exec|\(\)|function|coproc|read|ulimit|select|trap|suspend|\bcd\b|pushd|\.\.|\d{4}/
const lines = [...table.matchAll(/line: ("(?:[^"\\]|\\.)*")/g)]
  .map((found) => JSON.parse(found[1] as string) as string)
  .filter((line) => !leaves.test(line) && line.length < 120)

const folder = mkdtempSync(path.join(tmpdir(), 'cadre-bash-'))
const log = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-bash-')), 'names')
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(path.dirname(log), { recursive: true, force: true })
})

const bash =
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((place) => path.join(place, 'bash'))
    .find((file) => existsSync(file)) ?? 'bash'

/** The programs that Bash itself looks for. It finds none: it is told that there are no folders to look in. */
function namesRun(line: string): readonly string[] {
  rmSync(log, { force: true })
  spawnSync(bash, ['--norc', '--noprofile', '-c', line], {
    cwd: folder,
    input: '',
    timeout: 20_000,
    env: {
      PATH: '/nonexistent',
      HOME: folder,
      NAMES: log,
      'BASH_FUNC_command_not_found_handle%%': '() { builtin echo "$1" >> "$NAMES"; }',
    },
  })
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []
}

function missed(line: string): readonly string[] {
  const { commands, doubts, refused } = readCommandLine(line)
  if (doubts.length > 0 || refused !== undefined || leaves.test(line)) return []
  const found = new Set(commands.map(({ words }) => words[0]))
  return namesRun(line).filter((name) => !found.has(name))
}

describe('what Bash itself would run', () => {
  it('can be told', () => {
    expect(namesRun(`l"s"; echo $(r\\m x) | 'cat'`).toSorted()).toEqual(['cat', 'ls', 'rm'])
  })

  it('is found here, or doubted, also when a few letters are changed', () => {
    const letters = fc.constantFrom(...'\'"\\`$(){}[];&|<>\n #!*=a-@^?,:%+0')
    const change = fc.record({ at: fc.nat(200), letter: fc.option(letters), more: fc.nat(2) })
    expect(lines.length).toBeGreaterThan(250)
    fc.assert(
      fc.property(fc.constantFrom(...lines), fc.array(change, { maxLength: 4 }), (line, changes) => {
        const changed = changes.reduce((text, { at, letter, more }) => {
          const place = at % (text.length + 1)
          return text.slice(0, place) + (letter ?? '') + text.slice(place + (letter === null ? 1 : more))
        }, line)
        expect(missed(changed), changed).toEqual([])
      }),
      { seed: 31, numRuns: 600 },
    )
  })
})
