import { type AgentDefinition, didYouMean, nameKey } from '@cadre/core'
import { handoffLineNumbers } from '../../keys/read-handoffs.ts'
import { agentNameFromPath } from '../../load/agent-name.ts'
import type { Finding } from '../lint-result.ts'
import { type LintSubject, lineOfKey, type ProjectRule } from '../subject.ts'
import { mayDelegate } from './reach-rules.ts'

/** Built-in agents of hosts: a file may name them, although Cadre does not have them. */
const hostAgents: ReadonlySet<string> = new Set(
  'agent ask edit plan build general general-purpose explore task code-review statusline-setup output-style-setup'.split(
    ' ',
  ),
)

/** Finds names in `agents`, `Agent(…)` and `handoffs` that no agent has. */
export const referenceRule: ProjectRule = function* (members, { agents = [] }) {
  const names = new Map<string, string>()
  const files = new Map<string, string>()
  for (const { read, path } of members) {
    if (read.agent === undefined) continue
    names.set(nameKey(read.agent.name), read.agent.name)
    files.set(nameKey(agentNameFromPath(path)), read.agent.name)
  }
  for (const { name } of agents) names.set(nameKey(name), name)
  const about = (name: string, line: number, where: string): Finding | undefined => {
    const key = nameKey(name)
    if (names.has(key)) return undefined
    const quoted = JSON.stringify(name.slice(0, 80))
    if (hostAgents.has(key))
      return {
        severity: 'info',
        code: 'agent-of-host',
        line,
        message: `${quoted} in ${where} is built into some hosts, but this project has no agent with that name.`,
      }
    const called = files.get(key)
    return {
      severity: 'warning',
      code: 'agent-missing',
      line,
      message:
        called === undefined
          ? `${where} names ${quoted}, but there is no such agent${didYouMean(name, names.values()) || '.'}`
          : `${quoted} in ${where} is the name of a file. The agent in that file is named ${JSON.stringify(called)}.`,
      fix: called === undefined ? 'Correct the name, or remove it.' : `Write ${called}.`,
    }
  }
  for (const subject of members) {
    const { agent } = subject.read
    if (agent === undefined) continue
    const seen = new Set<string>()
    for (const { name, line, where } of agentsNamedBy(subject, agent)) {
      const finding = about(name, line, where)
      // A missing agent that is named in several places is reported once.
      if (finding === undefined || seen.has(nameKey(name))) continue
      seen.add(nameKey(name))
      yield { subject, finding }
    }
  }
}

function* agentsNamedBy(
  subject: LintSubject,
  agent: AgentDefinition,
): Generator<{ name: string; line: number; where: string }> {
  const { delegates, handoffs = [] } = agent
  const where = subject.header.has('agents') || subject.header.has('subagents') ? 'agents' : 'tools'
  const line = lineOfKey(subject, 'agents', 'subagents', 'tools')
  // A list without the required tool is reported elsewhere.
  const names = delegates?.kind === 'list' && mayDelegate(agent) ? delegates.names : []
  for (const name of names) yield { name, line, where }
  const lines = handoffLineNumbers(subject.header.get('handoffs')?.field)
  for (const [index, { agent: name }] of handoffs.entries())
    yield { name, line: lines[index] ?? lineOfKey(subject, 'handoffs'), where: 'handoffs' }
}
