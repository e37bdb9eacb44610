import type { Boundary, Controls, Isolation } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { emitJournal, read, specOf } from './journal.spec-helpers.ts'

const { agent } = specOf('lead-1')
const boundary = { writes: 'artifact', commands: 'copy' } as const
const controls = { approvalRequired: true, readOnly: true, deniedTools: ['Bash'] } as const
const text = emitJournal([], specOf('lead-1', { agent: { ...agent, boundary }, controls }))
const isolation: Isolation = { kind: 'own', session: 'lead-0', base: '/project', returns: true }
const apart = emitJournal([], specOf('lead-1', { isolation }))
const closed = { writes: 'none', commands: 'none' }
const strictest = { approvalRequired: true, readOnly: true, deniedTools: ['*'] }

/** Returns the file with `before` replaced. */
function withText(before: RegExp, after: string) {
  expect(text).toMatch(before)
  return read(text.replace(before, after))?.spec
}

describe('the restrictions of a session', () => {
  it('are read back unchanged', () => {
    const spec = read(text)?.spec
    expect(spec?.agent.boundary).toEqual(boundary)
    expect(spec?.controls).toEqual(controls)
    const free = read(emitJournal([]))?.spec
    expect(free).not.toHaveProperty('controls')
    expect(free?.agent).not.toHaveProperty('boundary')
  })

  it('include the isolation, and a damaged one counts as missing', () => {
    const kept = (written: string) =>
      read(apart.replace(/\n {2}isolation: .*\n/, `\n  isolation: ${written}\n`))?.spec.isolation
    expect(read(apart)?.spec.isolation).toEqual(isolation)
    expect(read(apart)?.extra).toEqual({})
    expect(kept('{kind: missing, session: lead-0, reason: no git}')).toEqual({
      kind: 'missing',
      session: 'lead-0',
      reason: 'no git',
    })
    for (const written of [
      'null',
      'own',
      '[]',
      '{kind: own, session: lead-0}',
      '{kind: own, base: /x}',
      '{kind: free, session: a, base: b}',
    ])
      expect(kept(written), written).toMatchObject({ kind: 'missing', session: 'lead-1' })
  })

  it('do not include values that a person wrote', () => {
    expect(read(text)?.extra).toEqual({})
  })

  it.each<[string, unknown]>([
    ['{}', {}],
    ['{writes: none}', { writes: 'none' }],
    ['{writes: all, commands: copy}', { writes: 'none', commands: 'copy' }],
    ['{writes: artifact, commands: true}', { writes: 'artifact', commands: 'none' }],
    ['{writs: artifact}', closed],
    ['null', closed],
    ['artifact', closed],
    ['[artifact]', closed],
  ])('is the strictest where a boundary is damaged: %s', (written, expected) => {
    const spec = withText(/"?boundary"?: ?\{[^}]*\}/, `boundary: ${written}`)
    expect(spec?.agent.boundary).toEqual(expected as Boundary)
  })

  it.each<[string, unknown]>([
    ['{}', {}],
    ['{readOnly: true}', { readOnly: true }],
    ['{readOnly: false}', {}],
    ['{readOnly: "no"}', { readOnly: true }],
    ['{approvalRequired: 0}', { approvalRequired: true }],
    ['{deniedTools: Bash}', { deniedTools: ['*'] }],
    ['{deniedTools: [Bash, 7]}', { deniedTools: ['Bash', '*'] }],
    ['{readonly: true}', strictest],
    ['null', strictest],
    ['true', strictest],
    ['[readOnly]', strictest],
  ])('is the strictest where controls are damaged: %s', (written, expected) => {
    const spec = withText(/\n {2}controls: .*\n/, `\n  controls: ${written}\n`)
    expect(spec?.controls).toEqual(expected as Controls)
  })

  it('are the strictest if the agent is missing', () => {
    const spec = withText(/\n {2}agent: .*\n/, '\n  agent: gone\n')
    expect(spec?.agent.boundary).toEqual(closed)
  })
})
