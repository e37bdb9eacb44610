import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Effect, JudgedCall, Risk, SessionSpec, Tool, Verdict } from '@cadre/core'
import type { ApprovalRule } from '@cadre/home'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPathResolver } from '../paths/path-resolver.ts'
import { createRequireApprovals } from './create-require-approvals.ts'

let workspace: string
beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'cadre-demand-'))
  mkdirSync(join(workspace, 'migrations'))
  writeFileSync(join(workspace, 'migrations', '1.sql'), '')
  symlinkSync(join(workspace, 'migrations', '1.sql'), join(workspace, 'link.txt'))
})
afterAll(() => rmSync(workspace, { recursive: true, force: true }))

type Ask = Extract<Verdict, { kind: 'ask' }>

function demanded(rules: readonly Partial<ApprovalRule>[], call: Partial<JudgedCall>, risk?: Risk): Verdict {
  const approvals = rules.map(
    (rule): ApprovalRule => ({
      quorum: 1,
      roles: ['approver', 'admin'],
      notByStarter: false,
      place: 'p.yaml:1',
      ...rule,
    }),
  )
  const demand = createRequireApprovals({
    policy: { approvals },
    places: createPathResolver({ project: workspace }),
  })
  const verdict: Ask = {
    kind: 'ask',
    by: 'policy',
    rule: 'effects.write',
    reason: 'it writes',
    grants: ['a'],
    ...(risk && { risk }),
  }
  return demand?.({ call: call as JudgedCall, verdict }, { workspace } as SessionSpec) ?? verdict
}

function writes(path: string): Partial<JudgedCall> {
  const tool = { name: 'write_file', effect: 'write', paths: () => [path] } as unknown as Tool
  return { tool, input: { path } }
}

function runs(command: string): Partial<JudgedCall> {
  const list = [command.split(' ')]
  const tool = { name: 'execute_command', effect: 'execute', commands: () => ({ list }) } as unknown as Tool
  return { tool, input: { command } }
}

const quorumOf = (verdict: Verdict) => (verdict.kind === 'ask' ? verdict.approvals?.quorum : verdict.kind)

it('requires nothing without rules, and does not change a verdict without a matching rule', () => {
  expect(
    createRequireApprovals({ policy: { approvals: [] }, places: createPathResolver({}) }),
  ).toBeUndefined()
  expect(demanded([{ effect: 'outbound', quorum: 2 }], writes('a'))).not.toHaveProperty('approvals')
})

it('the strictest of all matching rules applies, and only people can meet it', () => {
  const rules: Partial<ApprovalRule>[] = [
    { quorum: 2 },
    { effect: 'write', quorum: 1, roles: ['approver'], notByStarter: true },
    { effect: 'execute', quorum: 9 },
  ]
  expect(demanded(rules, writes('a'))).toMatchObject({
    kind: 'ask',
    firm: true,
    approvals: { quorum: 2, roles: ['approver'], notByStarter: true },
  })
})

it('a call is denied if the rules have no role in common', () => {
  const verdict = demanded([{ roles: ['admin'] }, { roles: ['approver'], place: 'o.yaml:3' }], writes('a'))
  expect(verdict).toMatchObject({
    kind: 'deny',
    rule: 'approvals',
    reason: expect.stringContaining('o.yaml:3'),
  })
})

describe('selectors', () => {
  it.each<[Risk | undefined, Risk, boolean]>([
    ['LOW', 'MEDIUM', false],
    ['MEDIUM', 'MEDIUM', true],
    ['HIGH', 'MEDIUM', true],
    [undefined, 'HIGH', true],
  ])('a call with the risk %s matches %s: %s', (risk, least, isMatch) => {
    expect(quorumOf(demanded([{ risk: least, quorum: 3 }], writes('a'), risk))).toBe(isMatch ? 3 : undefined)
  })

  it.each<[Effect, number | undefined]>([
    ['write', 3],
    ['read', undefined],
  ])('effect %s', (effect, quorum) => {
    expect(quorumOf(demanded([{ effect, quorum: 3 }], writes('a')))).toBe(quorum)
  })

  it.each<[string, Partial<JudgedCall>, boolean]>([
    ['a file in the folder', writes('migrations/1.sql'), true],
    ['another spelling', writes('./src/../Migrations//2.sql'), true],
    ['a link to it', writes('link.txt'), true],
    ['another file', writes('src/a.ts'), false],
    ['a command that names it', runs('psql -f migrations/1.sql'), true],
    ['a command with a pattern that may match it', runs('cat migr*/1.sql'), true],
    ['another command', runs('ls src'), false],
  ])('path: %s', (_, call, isMatch) => {
    expect(quorumOf(demanded([{ path: 'migrations/**', quorum: 2 }], call))).toBe(isMatch ? 2 : undefined)
  })

  it('all selectors of a rule must match', () => {
    const rules = [{ effect: 'write' as const, path: 'migrations/**', quorum: 2 }]
    expect(quorumOf(demanded(rules, writes('migrations/1.sql')))).toBe(2)
    expect(quorumOf(demanded(rules, writes('src/a.ts')))).toBeUndefined()
    expect(quorumOf(demanded(rules, runs('rm migrations/1.sql')))).toBeUndefined()
  })
})
