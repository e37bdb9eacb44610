import { type FileDialect, readAgentText, serializeAgent } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { filesBelow, readFile, realAgents, samples } from './support/agent-corpus.ts'

const dialects: readonly FileDialect[] = ['copilot', 'claude', 'opencode', 'template']

describe('the sample files of every dialect', () => {
  losesNothing(samples)
})

describe.skipIf(realAgents === undefined)(
  'real agent files (skipped unless CADRE_CORPORA names them)',
  () => {
    losesNothing(realAgents)
  },
)

function losesNothing(folder: string | undefined): void {
  const agents = filesBelow(folder).flatMap((file) => {
    const { agent } = readFile(file).read
    return agent === undefined ? [] : [{ file, agent }]
  })

  it.each(dialects)(
    'become files of %s with the same meaning',
    (dialect) => {
      const faults = agents.flatMap(({ file, agent }) => {
        const { path, text } = serializeAgent(agent, dialect)
        const read = readAgentText({ path: `/${path}`, text })
        if (read.rescued === true) return [`${file.path}: what was written has to be rescued`]
        return JSON.stringify(sorted(read.agent)) === JSON.stringify(sorted(agent)) ? [] : [file.path]
      })
      expect(agents.length).toBeGreaterThan(0)
      expect(faults).toEqual([])
    },
    600_000,
  )
}

/** Without its place, with sorted parts, and no duplicate tools. */
function sorted(agent: AgentDefinition | undefined): unknown {
  if (agent === undefined) return undefined
  const { source: _, tools, ...parts } = agent
  return byKey({ ...parts, tools: tools.kind === 'all' ? tools : [...new Set(tools.names)] })
}

function byKey(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(byKey)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([key, field]) => [key, byKey(field)]))
}
