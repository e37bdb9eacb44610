import { readFileSync } from 'node:fs'
import path from 'node:path'
import { readYaml } from '@cadre/disk'
import { describe, expect, it } from 'vitest'
import { judge } from './commands-support.ts'

interface Row {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly line: string
  readonly because: string
}

const file = path.join(import.meta.dirname, 'bypass', 'commands.yaml')
const read = readYaml({ text: readFileSync(file, 'utf8'), path: file })
if (read.kind === 'broken') throw new Error(JSON.stringify(read.diagnostics))
const { allowlist, lines } = read.root.value as unknown as { allowlist: object; lines: Row[] }
// JSON mappings are also YAML.
const list = JSON.stringify(allowlist)

describe('the table of command lines', () => {
  it('is large, and has no duplicates', () => {
    expect(lines.length).toBeGreaterThan(320)
    expect(new Set(lines.map(({ line }) => line)).size).toBe(lines.length)
    expect(lines.every(({ because }) => because.length > 0)).toBe(true)
  })

  it.each(lines)('$decision: $line ($because)', ({ decision, line }) => {
    const verdict = judge(line, list)
    expect({ kind: verdict.kind, by: verdict.by }).toEqual({ kind: decision, by: 'policy' })
    expect(verdict.rule).not.toBe('')
  })

  it('never allows one of the denied lines, regardless of the allowlist', () => {
    const everything = JSON.stringify(
      Object.fromEntries(
        'rm git mkfs dd shutdown reboot bash sh curl psql find chmod sudo cat eval'
          .split(' ')
          .map((name) => [name, true]),
      ),
    )
    const options = { execute: 'allow', write: 'allow' } as const
    const refused = lines.filter(({ because }) => because === 'always refused')
    expect(refused.length).toBeGreaterThan(50)
    expect(refused.filter(({ line }) => judge(line, everything, options).kind !== 'deny')).toEqual([])
  })
})
