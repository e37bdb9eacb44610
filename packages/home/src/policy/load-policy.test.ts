import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { showDiagnostic } from '@cadre/disk'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ValueShape } from '../config/config-shape.ts'
import { loadPolicy } from './load-policy.ts'
import { policyShape } from './policy-shape.ts'
import { listRestrictions } from './restrictions.ts'
import { withModelAliases } from './with-model-aliases.ts'

const isRoot = process.getuid?.() === 0

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-policy-')))
  mkdirSync(at('etc'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (file: string) => path.join(root, file)
const organisation = () => at('etc/policy.yaml')
const user = () => at('user.yaml')
const project = () => at('project.yaml')
const write = (file: string, text: string) => writeFileSync(file, text)
const load = () => loadPolicy({ organisation: organisation(), user: user(), project: project() })
const errors = async () =>
  (await load()).diagnostics.filter(({ severity }) => severity === 'error').map(showDiagnostic)

describe('the strictest of all levels applies', () => {
  it('nothing is restricted without a file, or by an empty one', async () => {
    const open = {
      customAgents: true,
      subagents: true,
      cveRemediator: true,
      beforehand: true,
      mcp: true,
      allowedModels: [],
      limits: {},
      effects: { read: 'allow', write: 'ask', execute: 'ask', outbound: 'ask' },
      paths: { deny: { read: [], write: [] }, ask: { read: [], write: [] } },
      network: false,
      environment: [],
      commands: {},
    }
    expect(await load()).toMatchObject({ ...open, files: [], diagnostics: [] })
    write(project(), '# nothing yet\n')
    expect(await load()).toMatchObject({ ...open, files: [{ level: 'project', path: project() }] })
  })

  it.each([
    ['customAgent.enabled', 'customAgents'],
    ['subagent.enabled', 'subagents'],
    ['cveRemediatorAgent.enabled', 'cveRemediator'],
    ['mcp.contributionPoint.enabled', 'mcp'],
    ['agentMode.autoApproval.enabled', 'beforehand'],
  ] as const)('%s: false at any level, whatever the others say', async (key, field) => {
    for (const [level, place] of Object.entries({ organisation, user, project })) {
      for (const file of [organisation(), user(), project()]) write(file, `${key}: true\n`)
      expect((await load())[field], level).toBe(true)
      write(place(), `# why\n${key}: false\n`)
      const policy = await load()
      expect(policy[field], level).toBe(false)
      expect(policy.decidedBy.get(key)).toBe(`${place()}:2`)
    }
  })

  it('the lowest limits apply, each with its file, and every list of models', async () => {
    write(
      organisation(),
      'limits: {depth: 2, sessions: 50, budget: {tokens: 1000}}\nmodels: {allow: ["openai:*"]}\n',
    )
    write(user(), 'limits.depth: 3\nlimits.budget.cost: 0.5\nlimits:\n  maxTurns: 9\n')
    write(
      project(),
      'limits:\n  depth: 1\n  sessions: 50\n  budget.tokens: 2000\nmodels.allow: [small, "gpt-*"]\n',
    )
    const policy = await load()
    expect(policy.limits).toEqual({
      depth: 1,
      sessions: 50,
      maxTurns: 9,
      budget: { tokens: 1000, cost: 0.5 },
    })
    expect(policy.allowedModels).toEqual([['openai:*'], ['small', 'gpt-*']])
    expect(listRestrictions(policy)).toEqual(
      expect.arrayContaining([
        { key: 'limits.depth', value: '1', place: `${project()}:2` },
        { key: 'limits.sessions', value: '50', place: `${organisation()}:1` },
        { key: 'limits.maxTurns', value: '9', place: `${user()}:4` },
        { key: 'limits.budget.cost', value: '0.5', place: `${user()}:2` },
        { key: 'models.allow', value: 'small, gpt-*', place: `${project()}:5` },
      ]),
    )
  })

  it('the highest level defines a model alias, each with its file', async () => {
    write(organisation(), 'models: {aliases: {haiku: "openai:small"}}\n')
    write(user(), 'models.aliases.Haiku: openai:other\nmodels.aliases: {opus: "openai:large"}\n')
    write(project(), 'models: {aliases: {opus: "openai:dear", sonnet: "openai:dear"}}\n')
    const policy = await load()
    expect(policy.modelAliases).toMatchObject({ haiku: 'openai:small', opus: 'openai:large' })
    expect(policy.modelAliases).not.toHaveProperty('Haiku')
    // A repository has no effect here until it is trusted.
    expect(policy.modelAliases).not.toHaveProperty('sonnet')
    expect(policy.untrusted?.keys).toMatchObject([{ key: 'models.aliases', line: 1 }])
    expect(listRestrictions(policy)).toEqual(
      expect.arrayContaining([
        { key: 'models.aliases.haiku', value: 'openai:small', place: `${organisation()}:1` },
        { key: 'models.aliases.opus', value: 'openai:large', place: `${user()}:1` },
      ]),
    )
    const config = { aliases: { HAIKU: 'openai:mine', fast: 'openai:fast' } }
    expect(withModelAliases(config, policy).aliases).toMatchObject({
      fast: 'openai:fast',
      haiku: 'openai:small',
    })
    expect(withModelAliases(config, policy).aliases).not.toHaveProperty('HAIKU')
  })

  it('another level never permits more, except decisions that a user may permit', async () => {
    const flag = fc.option(fc.boolean(), { nil: undefined })
    const level = fc.record({
      'customAgent.enabled': flag,
      'subagent.enabled': flag,
      'cveRemediatorAgent.enabled': flag,
      'mcp.contributionPoint.enabled': flag,
      'limits.depth': fc.option(fc.nat(5), { nil: undefined }),
      'limits.budget.calls': fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
      'models.allow': fc.option(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }), {
        nil: undefined,
      }),
    })
    const lax = { depth: 99, budget: { calls: 99 } }
    const levels = [organisation, user, project]
    await fc.assert(
      fc.asyncProperty(level, level, level, async (...said) => {
        let before: Awaited<ReturnType<typeof load>> | undefined
        for (const file of levels) rmSync(file(), { force: true })
        for (const [index, file] of levels.entries()) {
          write(file(), JSON.stringify(said[index]))
          const now = await load()
          for (const key of ['customAgents', 'subagents', 'cveRemediator', 'mcp'] as const)
            if (before?.[key] === false) expect(now[key]).toBe(false)
          const [old, next] = [before?.limits ?? {}, now.limits].map((limits) => ({ ...lax, ...limits }))
          expect(next?.depth).toBeLessThanOrEqual(old?.depth ?? 99)
          expect(next?.budget.calls).toBeLessThanOrEqual(old?.budget.calls ?? 99)
          for (const list of before?.allowedModels ?? []) expect(now.allowedModels).toContainEqual(list)
          before = now
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('an invalid policy never counts as no policy', () => {
  it.each([
    [
      'customAgents.enabled: false',
      ':1: There is no key "customAgents" in the policy. Did you mean customAgent?',
    ],
    ['subagent:\n  enabeld: false', ':2: There is no key "enabeld" under subagent. Did you mean enabled?'],
    ['folders: {}', ':1: There is no key "folders" in the policy. Known keys: customAgent, subagent'],
    ['effects: deny', ':1: effects must be a mapping of keys to values, not "deny".'],
    ['effects:\n  write: yes', ':2: effects.write must be allow, ask or deny, not "yes".'],
    ['effects.write: Deny', ':1: effects.write must be allow, ask or deny, not "Deny".'],
    ['effects: {delete: deny}', ':1: There is no key "delete" under effects. Known keys: read, write'],
    ['network: true', ':1: network must be allow or deny, not true.'],
    ['network: ask', ':1: network must be allow or deny, not "ask".'],
    ['paths: {deny: [a]}', ':1: paths.deny must be a mapping of keys to values, not a list.'],
    ['paths.deny.read: secrets', ':1: paths.deny.read must be a list of strings'],
    ['paths.allow.read: [a]', ':1: There is no key "allow" under paths'],
    ['environment: [A=b]', ':1: environment must be a list of environment variable names'],
    ['environment: ["*"]', ':1: environment must be a list of environment variable names'],
    [
      'commands: {timeoutSeconds: 0}',
      ':1: commands.timeoutSeconds must be a whole number greater than 0, not 0.',
    ],
    ['hooks: []', ':1: There is no key "hooks" in the policy'],
    ['subagent: false', ':1: subagent must be a mapping of keys to values, not false.'],
    ['subagent.enabled: no', ':1: subagent.enabled must be true or false, not "no".'],
    ['subagent.enabled:', ':1: subagent.enabled must be true or false, not nothing.'],
    ['limits: {depth: -1}', ':1: limits.depth must be a whole number of at least 0, not -1.'],
    ['limits.maxTurns: 0', ':1: limits.maxTurns must be a whole number greater than 0, not 0.'],
    ['models: {allow: openai:*}', ':1: models.allow must be a list of strings'],
    ['models: [a]', ':1: models must be a mapping of keys to values'],
    ['subagent.enabled: true\nsubagent: {enabled: false}', ': enabled is set twice.'],
    ['subagent: {enabled: true}\nsubagent: {enabled: false}', ':2: This key is defined twice.'],
    ['subagent.enabled: true\nsubagent: off', ':2: subagent is set twice.'],
    ['.subagent: 1', ':1: There is no key ".subagent" in the policy'],
    ['__proto__.enabled: true', ':1: There is no key "__proto__" in the policy'],
    ['constructor: {enabled: true}', ':1: There is no key "constructor" in the policy'],
    ['- a', ':1: The policy must be a mapping of keys to values'],
    ['subagent: {', 'This is not valid YAML'],
    ['subagent: !yes {enabled: false}', 'YAML tags are not supported here'],
  ])('%j: %s', async (text, message) => {
    write(user(), text)
    expect((await errors()).join('\n')).toContain(message)
    expect((await errors()).join('\n')).toContain(`${user()}:`)
    const { customAgents, subagents, cveRemediator, allowedModels, limits, effects, beforehand } =
      await load()
    expect({ beforehand, ...effects }).toEqual({
      beforehand: false,
      read: 'deny',
      write: 'deny',
      execute: 'deny',
      outbound: 'deny',
    })
    expect({ customAgents, subagents, cveRemediator, allowedModels, limits }).toEqual({
      customAgents: false,
      subagents: false,
      cveRemediator: false,
      allowedModels: [[]],
      limits: { depth: 0 },
    })
  })

  it('a broken or circular link, a folder, a huge file', async () => {
    symlinkSync(at('nothing'), organisation())
    expect(await errors()).toEqual([`${organisation()}: The policy is a broken symbolic link.`])
    rmSync(organisation())
    symlinkSync(organisation(), organisation())
    expect((await errors())[0]).toContain('Cannot read the policy: ELOOP')
    rmSync(organisation())
    mkdirSync(organisation())
    expect((await errors())[0]).toContain('The policy must be a regular file of at most 1 MB.')
    rmSync(organisation(), { recursive: true })
    write(organisation(), `# ${'x'.repeat(1_100_000)}`)
    expect((await errors())[0]).toContain('The policy must be a regular file of at most 1 MB.')
  })

  it.skipIf(isRoot)('a folder without read permission', async () => {
    chmodSync(at('etc'), 0)
    expect((await errors())[0]).toContain('Cannot read the policy: EACCES')
    chmodSync(at('etc'), 0o700)
  })
})

describe('the documentation', () => {
  const guide = readFileSync(path.join(import.meta.dirname, '../../../../docs/policy.md'), 'utf8')

  it('has a valid example', async () => {
    write(organisation(), /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '')
    expect(await errors()).toEqual([])
    expect(listRestrictions(await load())).toHaveLength(9)
  })

  it.each(namesOf(policyShape))('mentions %s', (key) => {
    const last = key.split('.').at(-1)
    const isTold =
      guide.includes(`\`${key}\``) || (key.startsWith('limits.budget.') && guide.includes(`\`.${last}\``))
    expect(isTold).toBe(true)
  })

  function namesOf(shape: ValueShape, prefix = ''): string[] {
    if (shape.kind !== 'keys') return [prefix]
    return Object.entries(shape.keys).flatMap(([key, below]) =>
      namesOf(below, prefix === '' ? key : `${prefix}.${key}`),
    )
  }
})

describe.skipIf(process.platform === 'win32')('who can change the policy of an organisation', () => {
  const weak = async () => {
    const { diagnostics, subagents } = await load()
    expect(subagents).toBe(false)
    return diagnostics.map(({ code, severity, message, fix }) => {
      expect([code, severity]).toEqual(['policy-unprotected', 'warning'])
      return `${message} ${fix}`
    })
  }
  beforeEach(() => {
    write(organisation(), 'subagent.enabled: false\n')
    chmodSync(organisation(), 0o644)
    chmodSync(at('etc'), 0o755)
  })

  it.skipIf(!isRoot)('root only: no warning', async () => {
    expect(await weak()).toEqual([])
  })

  it('everyone, if the file or its folder is writable by others; the policy still applies', async () => {
    chmodSync(organisation(), 0o666)
    chmodSync(at('etc'), 0o777)
    const said = await weak()
    expect(said).toHaveLength(2)
    if (!isRoot) return
    expect(said[0]).toBe(
      `This policy is writable by anyone, who can change the organisation's policy. Run: chmod go-w ${organisation()}`,
    )
    expect(said[1]).toContain(`${at('etc')} is writable by anyone`)
  })

  it.skipIf(!isRoot)('its owner, if that is not root', async () => {
    chownSync(organisation(), 1234, 0)
    expect(await weak()).toEqual([expect.stringContaining('is owned by user 1234, not by root')])
    chownSync(organisation(), 0, 1234)
    expect(await weak()).toEqual([])
    chmodSync(organisation(), 0o664)
    expect(await weak()).toEqual([expect.stringContaining('is writable by group 1234')])
  })

  it.skipIf(!isRoot)('checks the target of a link', async () => {
    mkdirSync(at('elsewhere'))
    write(at('elsewhere/real.yaml'), 'subagent.enabled: false\n')
    rmSync(organisation())
    symlinkSync(at('elsewhere/real.yaml'), organisation())
    expect(await weak()).toEqual([])
    chmodSync(at('elsewhere/real.yaml'), 0o666)
    expect(await weak()).toEqual([
      expect.stringContaining(`${at('elsewhere/real.yaml')} is writable by anyone`),
    ])
    chmodSync(at('elsewhere/real.yaml'), 0o644)
    chownSync(at('elsewhere'), 1234, 0)
    expect(await weak()).toEqual([expect.stringContaining(`${at('elsewhere')} is owned by user 1234`)])
  })
})

describe('shared budgets', () => {
  it('are the lowest of all levels, and name the file that decided them', async () => {
    write(
      organisation(),
      'budgets:\n  day: { cost: 50 }\n  agents:\n    lead: { cost: 9 }\nlimits:\n  parallel: { home: 4 }\n',
    )
    write(user(), 'budgets:\n  day: { cost: 20, tokens: 1000 }\n  agents:\n    lead: { cost: 10 }\n')
    write(project(), 'limits:\n  parallel: { home: 9, place: 2 }\n')
    const policy = await load()
    expect(policy.budgets).toEqual({ day: { cost: 20, tokens: 1000 }, agents: { lead: { cost: 9 } } })
    expect(policy.limits.parallel).toEqual({ home: 4, place: 2 })
    const places = listRestrictions(policy).map(
      ({ key, value, place }) => `${key} ${value} ${path.basename(place)}`,
    )
    expect(places.toSorted()).toEqual([
      'budgets.agents.lead $9 policy.yaml:3',
      'budgets.day.cost 20 user.yaml:2',
      'budgets.day.tokens 1000 user.yaml:2',
      'limits.parallel.home 4 policy.yaml:6',
      'limits.parallel.place 2 project.yaml:2',
    ])
  })
})
