import type { AgentDefinition } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAgentText } from '../load/read-agent-text.ts'
import { readSettingsAgents } from '../settings/read-settings.ts'
import { definition, team } from './definitions.spec-helpers.ts'
import type { FileDialect } from './dialect-facts.ts'
import { serializeAgent } from './serialize-agent.ts'
import { addOrderMetadata, restoreOrder } from './team-order.ts'
import { writeSettings } from './write-settings.ts'

const dialects: readonly FileDialect[] = ['copilot', 'claude', 'opencode', 'template']
const isDeep = process.env['CADRE_DEEP'] === '1'
const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const))

/** Through bytes, like a file. */
function through(agent: AgentDefinition, dialect: FileDialect): AgentDefinition {
  const written = serializeAgent(agent, dialect)
  expect(written.lost).toEqual([])
  const read = readAgentText({ path: written.path, text: Buffer.from(written.text).toString() })
  if (read.agent === undefined)
    throw new Error(`not read: ${JSON.stringify(read.diagnostics)}\n${written.text}`)
  return plain(read.agent)
}

function plain({ source: _, ...agent }: AgentDefinition): AgentDefinition {
  return agent
}

describe('an agent written and read again is the same', () => {
  it.each(dialects)('in %s', (dialect) => {
    fc.assert(
      fc.property(definition, (agent) => {
        expect(through(agent, dialect)).toEqual(agent)
      }),
      { numRuns: isDeep ? 120 : 6 },
    )
  })

  it.each(pairs)('from %s to %s', (from, to) => {
    fc.assert(
      fc.property(definition, (agent) => {
        expect(through(through(agent, from), to)).toEqual(agent)
      }),
      { numRuns: isDeep ? 20 : 1 },
    )
  })

  it('in settings, with its order and its entry', () => {
    fc.assert(
      fc.property(team, fc.nat(), (agents, number) => {
        const entry = agents[number % agents.length]?.name
        const written = writeSettings({ agents, ...(entry !== undefined && { entry }) })
        expect(written.faults).toEqual([])
        const read = readSettingsAgents({ path: 'team.json', text: written.text })
        expect(read.agents.map(({ agent }) => plain(agent))).toEqual(agents)
        expect(read.entry).toBe(entry)
      }),
      { numRuns: isDeep ? 120 : 6 },
    )
  })

  it.each(dialects)('from settings to %s and back, including the settings text', (dialect) => {
    fc.assert(
      fc.property(team, fc.nat(), (agents, number) => {
        const entry = agents[number % agents.length]?.name ?? ''
        const before = writeSettings({ agents, entry })
        const files = addOrderMetadata({ agents, entry }).map((agent) => through(agent, dialect))
        const after = writeSettings(restoreOrder(files.toReversed()))
        expect(after.faults).toEqual([])
        expect(JSON.parse(after.text)).toEqual(JSON.parse(before.text))
      }),
      { numRuns: isDeep ? 40 : 1 },
    )
  })
})
