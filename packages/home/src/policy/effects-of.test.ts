import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Effect } from '@cadre/core'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TrustItem } from '../trust/trust.ts'
import { effectsOf } from './effects-of.ts'
import { inspectProjectPolicy, loadPolicy } from './load-policy.ts'
import { type Permission, permissivePolicy } from './policy.ts'
import { listRestrictions } from './restrictions.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'cadre-effects-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (file: string) => path.join(root, file)
const levels = ['organisation', 'user', 'project'] as const
type Said = { readonly [level in (typeof levels)[number]]?: string }

async function load(said: Said, trusted?: (item: TrustItem) => boolean) {
  for (const level of levels) {
    rmSync(at(level), { force: true })
    if (said[level] !== undefined) writeFileSync(at(level), said[level])
  }
  return loadPolicy({
    organisation: at('organisation'),
    user: at('user'),
    project: at('project'),
    ...(trusted && { trusted }),
  })
}
const all = () => true

describe('effects', () => {
  it.each([
    [{}, 'ask', undefined],
    [{ user: 'effects.write: allow' }, 'allow', 'user:1'],
    [{ organisation: '#\neffects: {write: deny}', user: 'effects.write: allow' }, 'deny', 'organisation:2'],
    [{ user: 'effects.write: ask', project: 'effects.write: allow' }, 'ask', 'user:1'],
    [{ user: 'effects.write: allow', project: 'effects.write: deny' }, 'deny', 'project:1'],
    [{ project: 'effects.write: allow' }, 'allow', 'project:1'],
  ] as const)('of %j, trusted, writing is: %s', async (said, write, place) => {
    const policy = await load(said, all)
    expect(policy.effects).toEqual({ read: 'allow', write, execute: 'ask', outbound: 'ask' })
    expect(policy.decidedBy.get('effects.write')).toBe(place && at(place))
  })

  it('a project can loosen the defaults only if its current content is trusted', async () => {
    const text = '# mine\neffects: {write: allow, execute: deny, read: ask}\nnetwork: allow\n'
    const untrusted = await load({ project: text })
    expect(untrusted.effects).toEqual({ read: 'ask', write: 'ask', execute: 'deny', outbound: 'ask' })
    expect(untrusted.network).toBe(false)
    expect(untrusted.untrusted?.keys).toEqual([
      { key: 'effects.write', value: '"allow"', line: 2 },
      { key: 'network', value: '"allow"', line: 3 },
    ])
    const item = await inspectProjectPolicy(at('project'))
    expect(item).toEqual(untrusted.untrusted)
    const same = (other: TrustItem) => other.path === item?.path && other.sha256 === item.sha256
    const trusted = await load({ project: text }, same)
    expect(trusted).toMatchObject({ network: true, effects: { write: 'allow', execute: 'deny' } })
    expect(trusted.untrusted).toBeUndefined()
    expect((await load({ project: `${text}# changed\n` }, same)).effects.write).toBe('ask')
  })

  it('a restriction needs no trust', async () => {
    const text = 'effects: {write: deny, read: ask}\nnetwork: deny\nenvironment: []\npaths.deny.read: [a]\n'
    const policy = await load({ project: text })
    expect(policy.effects).toMatchObject({ write: 'deny', read: 'ask' })
    expect(policy.untrusted).toBeUndefined()
    expect(await inspectProjectPolicy(at('project'))).toBeUndefined()
  })

  it('no project, team or flag can exceed the policy of a higher level', async () => {
    const permission = fc.option(fc.constantFrom<Permission>('allow', 'ask', 'deny'), { nil: undefined })
    const order = ['allow', 'ask', 'deny']
    await fc.assert(
      fc.asyncProperty(
        permission,
        permission,
        permission,
        fc.boolean(),
        async (first, second, third, off) => {
          const line = (value: Permission | undefined) =>
            value === undefined ? '' : `effects.write: ${value}\n`
          const said = {
            organisation: line(first) + (off ? 'agentMode.autoApproval.enabled: false\n' : ''),
            user: line(second),
            project: line(third),
          }
          const policy = await load(said, all)
          const { write } = effectsOf({ policy, team: { write: 'allow' }, allow: ['write'] })
          for (const above of [first, second, third])
            if (above !== undefined) expect(order.indexOf(write)).toBeGreaterThanOrEqual(order.indexOf(above))
          if (off) expect(write).not.toBe('allow')
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('a team and a flag', () => {
  const effects = (said: Said, team?: { write: Permission }, allow?: Effect[]) =>
    load(said, all).then((policy) => effectsOf({ policy, team, allow }))

  it('change the default, but never a policy', async () => {
    expect(effectsOf({ policy: permissivePolicy }).write).toBe('ask')
    expect((await effects({}, { write: 'allow' })).write).toBe('allow')
    expect((await effects({}, undefined, ['outbound'])).outbound).toBe('allow')
    expect((await effects({}, { write: 'deny' }, ['write'])).write).toBe('allow')
    for (const level of levels) {
      expect((await effects({ [level]: 'effects.write: ask' }, { write: 'allow' }, ['write'])).write).toBe(
        'ask',
      )
      expect((await effects({ [level]: 'effects.write: deny' }, undefined, ['write'])).write).toBe('deny')
    }
  })

  it.each(levels)('lead to a question if the %s forbids decisions beforehand', async (level) => {
    const off = 'agentMode.autoApproval.enabled: false\n'
    expect(await effects({ [level]: off }, { write: 'allow' }, ['execute', 'outbound'])).toEqual({
      read: 'allow',
      write: 'ask',
      execute: 'ask',
      outbound: 'ask',
    })
    expect(
      (await effects({ [level]: off, user: `${level === 'user' ? off : ''}effects.write: allow\n` })).write,
    ).toBe('ask')
  })
})

describe('the rest', () => {
  it('path patterns of all levels apply, each with its file', async () => {
    const policy = await load({
      organisation: 'paths: {deny: {read: [secrets, "*.pem"]}}\n',
      project: '\npaths.deny.read: [private]\npaths.ask.write: [docs/**]\n',
    })
    expect(policy.paths).toEqual({
      deny: { read: ['secrets', '*.pem', 'private'], write: [] },
      ask: { read: [], write: ['docs/**'] },
    })
    expect(policy.decidedBy.get('paths.deny.read.1')).toBe(at('organisation:1'))
    expect(policy.decidedBy.get('paths.deny.read.2')).toBe(at('project:2'))
    expect(listRestrictions(policy)).toContainEqual({
      key: 'paths.deny.read',
      value: 'private',
      place: at('project:2'),
    })
  })

  it('variables must be listed by every level that lists any; a list of only the project needs trust', async () => {
    expect((await load({ user: 'environment: [A, B]', project: 'environment: [B, C]' })).environment).toEqual(
      ['B'],
    )
    expect((await load({ organisation: 'environment: []', user: 'environment: [A]' })).environment).toEqual(
      [],
    )
    const alone = await load({ project: 'environment: [TOKEN]' })
    expect(alone.environment).toEqual([])
    expect(alone.untrusted?.keys).toMatchObject([{ key: 'environment' }])
    expect((await load({ project: 'environment: [TOKEN]' }, all)).environment).toEqual(['TOKEN'])
    expect((await load({ user: 'environment: [A]', project: 'environment: [B]' })).untrusted).toBeUndefined()
  })

  it('the lowest ceiling for commands applies', async () => {
    const policy = await load({
      user: 'commands: {timeoutSeconds: 60, outputKilobytes: 10}',
      project: 'commands.timeoutSeconds: 90',
    })
    expect(policy.commands).toEqual({ timeoutSeconds: 60, outputKilobytes: 10 })
    expect(listRestrictions(policy).map(({ key, value }) => `${key} ${value}`)).toEqual([
      'commands.timeoutSeconds 60',
      'commands.outputKilobytes 10',
    ])
  })

  it('the network is closed unless a level opens it and none closes it', async () => {
    expect((await load({ user: 'network: allow' })).network).toBe(true)
    expect((await load({ organisation: 'network: deny', user: 'network: allow' })).network).toBe(false)
  })
})
