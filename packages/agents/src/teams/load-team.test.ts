import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type AgentDefinition, type CadreError, interpretToolName } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { readAgentText } from '../load/read-agent-text.ts'
import { exportAgents } from '../write/export-agents.ts'
import { findTeamWith, teamForAgent } from './find-team.ts'
import { listTeams, loadTeam, readTeamFiles } from './load-team.ts'
import { teamNames, teamsFolder } from './team-manifest.ts'

const forms = listTeams().flatMap(({ name, variants }) =>
  variants.map((variant) => [`${name}/${variant.name}`, name, variant.name] as const),
)
const failure = (act: () => unknown): CadreError => {
  try {
    act()
  } catch (error) {
    return error as CadreError
  }
  throw new Error('it did not fail')
}

describe('the teams', () => {
  it('are the five built-in ones, each with a description, an entry and variants', () => {
    expect(teamNames()).toEqual(['coordinator', 'explorers', 'operators', 'planner', 'supervisor'])
    expect(
      listTeams().map(({ name, entry, variants }) => [name, entry, variants.map((one) => one.name)]),
    ).toEqual([
      ['coordinator', 'coordinator', ['standard', 'minimal', 'advanced']],
      ['explorers', 'lead', ['default', 'strict', 'strict-v2']],
      ['operators', 'planner-001', ['default']],
      ['planner', 'Plan', ['default']],
      ['supervisor', 'supervisor', ['default']],
    ])
    for (const { description, variants } of listTeams())
      for (const text of [description, ...variants.map((one) => one.description)])
        expect(text).toMatch(/^[A-Za-z][^\n]{20,160}$/)
  })

  it('leave no file unused', () => {
    const lying = readdirSync(teamsFolder(), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.agent\./.test(name),
    )
    const used = new Set(
      listTeams().flatMap(({ name, variants }) =>
        variants.flatMap((variant) => readTeamFiles(name, variant.name).map(({ text }) => text)),
      ),
    )
    const unused = lying.filter((name) => !used.has(readFileSync(path.join(teamsFolder(), name), 'utf8')))
    expect(unused).toEqual([])
  })

  it('lists the known ones if the name is unknown', () => {
    expect(failure(() => loadTeam('supervisr'))).toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(
        /"supervisr". Did you mean supervisor\?.* Known: coordinator, explorers,/,
      ),
    })
    expect(failure(() => loadTeam('../teams/planner')).message).toContain('Known: coordinator')
    expect(failure(() => loadTeam('coordinator/advance')).message).toMatch(
      /advanced\?.* Known: standard, minimal/,
    )
    expect(failure(() => loadTeam('coordinator', '')).message).toContain('has no variant ""')
  })
})

describe.each(forms)('%s', (_, name, variant) => {
  const team = loadTeam(name, variant)
  const byName = new Map(team.agents.map((agent) => [agent.name, agent]))
  const entry = byName.get(team.entry) as AgentDefinition

  it('has only files that are read without diagnostics', () => {
    for (const { file, text } of readTeamFiles(name, variant)) {
      const read = readAgentText({ path: `/x/${file}`, text })
      expect(read.diagnostics, file).toEqual([])
      expect(read.rescued, file).toBeUndefined()
      expect(file.replace(/\.agent\.(md|yaml)$/, '')).toBe(read.agent?.name)
    }
  })

  it('records the source of its agents', () => {
    const shown = variant === team.variants[0] ? name : `${name}/${variant}`
    for (const agent of team.agents) {
      expect(agent.source).toEqual({ path: `built-in:${shown}/${agent.name}`, dialect: 'built-in' })
      expect(teamForAgent(agent)).toBe(shown)
      expect(loadTeam(shown).agents).toEqual(team.agents)
    }
  })

  it('refers only to agents it has', () => {
    for (const agent of team.agents) {
      const named = agent.delegates?.kind === 'list' ? agent.delegates.names : []
      for (const target of [...named, ...(agent.handoffs ?? []).map((handoff) => handoff.agent)])
        expect([...byName.keys()], `${agent.name} → ${target}`).toContain(target)
    }
  })

  it('offers handoffs only to agents that people may start', () => {
    for (const { agent } of team.agents.flatMap(({ handoffs = [] }) => handoffs))
      expect(byName.get(agent)?.userInvocable, agent).not.toBe(false)
  })

  it('reaches every agent from its entry, by delegation or handoff, unless people may start it', () => {
    const reached = new Set([entry.name])
    for (const at of reached) {
      const { delegates, handoffs = [] } = byName.get(at) as AgentDefinition
      if (delegates?.kind === 'all') for (const agent of byName.keys()) reached.add(agent)
      if (delegates?.kind === 'list') for (const agent of delegates.names) reached.add(agent)
      for (const { agent } of handoffs) reached.add(agent)
    }
    const lost = team.agents.filter((agent) => !reached.has(agent.name) && agent.userInvocable === false)
    expect(lost.map((agent) => agent.name)).toEqual([])
    expect(entry.userInvocable).not.toBe(false)
  })

  it('gives a delegation tool to exactly the agents that may delegate', () => {
    for (const { name: agent, tools, delegates } of team.agents) {
      if (tools.kind === 'all') continue
      const can = tools.names.some((tool) => /^(agent|delegateWork|delegate_task|runSubagent)$/.test(tool))
      expect(can, agent).toBe(delegates?.kind !== 'none')
    }
  })

  it('never relies on a default for delegation', () => {
    for (const agent of team.agents) expect(agent.delegates, agent.name).toBeDefined()
  })

  it('has prompts of a readable length', () => {
    for (const { name: agent, prompt } of team.agents) {
      const words = prompt.split(/\s+/).length
      expect(words, agent).toBeGreaterThanOrEqual(120)
      expect(words, agent).toBeLessThanOrEqual(350)
    }
  })

  it('mentions only tools that the agent has in its prompts', () => {
    for (const { name: agent, prompt, tools, disallowedTools = [] } of team.agents) {
      const meant = (names: readonly string[]) => names.map((tool) => JSON.stringify(interpretToolName(tool)))
      const given = tools.kind === 'all' ? undefined : meant(tools.names)
      const words = prompt.match(/\b[a-z]+(?:_[a-z]+)+\b|\b(?:delegateWork|reportOut|runSubagent)\b/g) ?? []
      for (const word of words.filter((one) => interpretToolName(one).kind === 'tools')) {
        const [meaning] = meant([word])
        expect(given ?? [meaning], `${agent}: ${word}`).toContain(meaning)
        expect(meant(disallowedTools), `${agent}: ${word}`).not.toContain(meaning)
      }
    }
  })

  it('names only known tools', () => {
    // An IDE adds its own tools, if there is one.
    for (const { name: agent, tools, disallowedTools = [] } of team.agents)
      for (const tool of [...(tools.kind === 'all' ? [] : tools.names), ...disallowedTools])
        if (tool !== 'ide')
          expect(['class', 'tools'], `${agent}: ${tool}`).toContain(interpretToolName(tool).kind)
  })

  it('can be written in the dialects of init', () => {
    for (const to of ['copilot', 'claude', 'opencode', 'template'] as const)
      expect(exportAgents({ agents: team.agents, to, read: () => undefined }).faults).toEqual([])
  })

  it('mentions its required sections in the prompt', () => {
    for (const { name: agent, prompt, requiredSections = [] } of team.agents)
      for (const section of requiredSections) expect(prompt, agent).toContain(section)
  })
})

it.each(['Explore', 'Plan'])('%s of the explorers may use read-only tools of an IDE', (name) => {
  const agent = loadTeam('explorers').agents.find((one) => one.name === name)
  expect(agent?.tools).toEqual({
    kind: 'list',
    names: ['ide', 'read_file', 'list_dir', 'grep_search', 'file_search'],
  })
  expect(agent?.boundary).toEqual({ writes: 'none', commands: 'none' })
})

describe('the team of an agent', () => {
  it('is the one that starts with it, or the first that has it', () => {
    expect(findTeamWith(['supervisor'])).toBe('supervisor')
    // Also part of the explorers, but not as their entry agent.
    expect(findTeamWith(['Plan'])).toBe('planner')
    expect(findTeamWith(['explore'])).toBe('explorers')
    expect(findTeamWith(['frontend-dev'])).toBe('coordinator/advanced')
    expect(findTeamWith(['builder', 'Verifier'])).toBe('supervisor')
    expect(findTeamWith(['builder', 'Explore'])).toBeUndefined()
    expect(findTeamWith(['nobody'])).toBeUndefined()
  })

  it('is undefined for an agent from a file', () => {
    const agent = loadTeam('planner').agents[0] as AgentDefinition
    const { source: _, ...bare } = agent
    expect(teamForAgent(bare)).toBeUndefined()
    expect(teamForAgent({ ...agent, source: { path: 'built-in:x/y', dialect: 'copilot' } })).toBeUndefined()
  })
})
