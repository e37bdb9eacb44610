import { type AgentDefinition, allowedTargets, interpretToolName, nameKey } from '@cadre/core'
import { type LintSubject, lineOfKey, type ProjectRule } from '../subject.ts'

type Defined = LintSubject & { readonly read: { readonly agent: AgentDefinition } }

/** Agents that nothing can start. */
export const unreachableAgentRule: ProjectRule = function* (members, { agents = [] }) {
  const hidden = members.filter(isDefined).filter(({ read }) => read.agent.userInvocable === false)
  if (hidden.length === 0) return
  const all = [...members.filter(isDefined).map(({ read }) => read.agent), ...agents]
  const started = new Set<string>()
  for (const agent of all) {
    if (!mayDelegate(agent)) continue
    const entry = agent.userInvocable !== false
    for (const target of allowedTargets(agent, all, entry)) started.add(nameKey(target.name))
  }
  for (const subject of hidden) {
    if (isStartedByHost(subject)) continue
    if (started.has(nameKey(subject.read.agent.name))) continue
    yield {
      subject,
      finding: {
        severity: 'warning',
        code: 'unreachable',
        line: lineOfKey(subject, 'userinvocable', 'userinvokable', 'hidden'),
        message: `Neither users nor other agents can start ${subject.read.agent.name}.`,
        fix: 'Let users start it, or add its name to agents: in an agent that has the agent tool.',
      },
    }
  }
}

/** Built-in agents of hosts may start every agent that models may start; in opencode, people may start any by its name. */
function isStartedByHost({ dialect, read }: Defined): boolean {
  if (dialect === 'opencode') return true
  return (dialect === 'copilot' || dialect === 'claude') && read.agent.modelInvocable !== false
}

/** Agents that delegate to each other in a cycle. Cycles are checked at run time, but in a file they are often a mistake. */
export const cycleRule: ProjectRule = function* (members) {
  const defined = new Map(
    members.filter(isDefined).map((subject) => [nameKey(subject.read.agent.name), subject]),
  )
  const next = (key: string): string[] => {
    const delegates = defined.get(key)?.read.agent.delegates
    if (delegates?.kind !== 'list') return []
    return delegates.names.map(nameKey).filter((name) => name !== key && defined.has(name))
  }
  for (const circle of findCycles([...defined.keys()], next)) {
    const subject = defined.get(circle[0] as string) as Defined
    const shown = [...circle, circle[0] as string].map((key) => defined.get(key)?.read.agent.name).join(' → ')
    yield {
      subject,
      finding: {
        severity: 'warning',
        code: 'delegation-cycle',
        line: lineOfKey(subject, 'agents', 'subagents', 'tools'),
        message: `These agents can start each other in a cycle: ${shown}. Cadre does not start an agent that is already running in the same chain.`,
        fix: 'Remove one of the names if you do not want the cycle.',
      },
    }
  }
}

/** True if the agent's tools include one that starts others; without it, a list of agents has no effect. */
export function mayDelegate({ tools }: AgentDefinition): boolean {
  if (tools.kind === 'all') return true
  return tools.names.some((name) => {
    const meaning = interpretToolName(name)
    if (meaning.kind === 'class') return meaning.class === 'agent'
    if (meaning.kind === 'tools') return meaning.names.some((tool) => /^delegate/.test(tool))
    return meaning.kind === 'all'
  })
}

function isDefined(subject: LintSubject): subject is Defined {
  return subject.read.agent !== undefined && subject.read.disabled !== true
}

/** Returns one cycle for each strongly connected set of names, in traversal order. Not recursive, because a list may be long. */
function findCycles(keys: readonly string[], next: (key: string) => string[]): string[][] {
  const state = new Map<string, 'open' | 'done'>()
  const circles: string[][] = []
  const inCircle = new Set<string>()
  for (const start of keys) {
    if (state.has(start)) continue
    const trail: { key: string; left: string[] }[] = [{ key: start, left: next(start) }]
    state.set(start, 'open')
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const to = top.left.shift()
      if (to === undefined) {
        state.set(top.key, 'done')
        trail.pop()
      } else if (state.get(to) === 'open') {
        const circle = trail.slice(trail.findIndex(({ key }) => key === to)).map(({ key }) => key)
        // One report per connected set: ten agents that all name each other are one finding, not a hundred.
        if (!circle.some((key) => inCircle.has(key))) circles.push(circle)
        for (const key of circle) inCircle.add(key)
      } else if (!state.has(to)) {
        state.set(to, 'open')
        trail.push({ key: to, left: next(to) })
      }
    }
  }
  return circles
}
