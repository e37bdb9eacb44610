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

/** The file with this in the place of what stands there. */
function withText(before: RegExp, after: string) {
  expect(text).toMatch(before)
  return read(text.replace(before, after))?.spec
}

describe('what restricts a session', () => {
  it('is read back as it was written', () => {
    const spec = read(text)?.spec
    expect(spec?.agent.boundary).toEqual(boundary)
    expect(spec?.controls).toEqual(controls)
    const free = read(emitJournal([]))?.spec
    expect(free).not.toHaveProperty('controls')
    expect(free?.agent).not.toHaveProperty('boundary')
  })

  it('has how it is kept apart, and damage there means that it is not', () => {
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

  it('is not taken for what a person has put there', () => {
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

  it('is the strictest where nothing of the agent is left', () => {
    const spec = withText(/\n {2}agent: .*\n/, '\n  agent: gone\n')
    expect(spec?.agent.boundary).toEqual(closed)
  })
})
