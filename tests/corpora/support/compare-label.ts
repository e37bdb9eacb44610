import type { ReadFile } from './agent-corpus.ts'
import { digest, isLong, type Label, normalise } from './labels.ts'

/** The differences between the loader and the person who labelled a file. */
export function differencesFrom(label: Label, { read: { agent, diagnostics }, status }: ReadFile): string[] {
  const faults: string[] = []
  const compare = (what: string, ours: unknown, theirs: unknown) => {
    if (JSON.stringify(ours) !== JSON.stringify(theirs))
      faults.push(`${what} is ${show(ours)}, labelled ${show(theirs)}`)
  }
  if (status !== label.status)
    faults.push(
      `${status}, labelled ${label.status} (${label.kind}); ${diagnostics[0]?.message ?? 'it says nothing'}`,
    )
  if (agent === undefined || label.status === 'failed') return faults

  compare('name', agent.name, label.name)
  const names = agent.tools.kind === 'all' ? 'all' : agent.tools.names
  if (isLong(label.tools)) {
    compare('the number of tools', names.length, label.tools.count)
    compare('the list of tools', names === 'all' ? names : digest(names.join('\n')), label.tools.sha256)
  } else compare('tools', names, label.tools === 'none' ? [] : label.tools)
  const models = [label.model ?? []].flat().filter((model) => model !== 'inherit')
  compare('model', agent.models ?? [], models)
  const description = normalise(agent.description)
  compare('the length of the description', description.length, label.description?.length ?? 0)
  compare('the description', digest(description), label.description?.sha256 ?? digest(''))
  if (label.agents !== undefined)
    compare(
      'agents',
      agent.delegates?.kind === 'list' ? agent.delegates.names : agent.delegates?.kind,
      label.agents,
    )
  if (label.handoffs !== undefined)
    compare('the number of handoffs', agent.handoffs?.length ?? 0, label.handoffs)
  if (label.maxTurns !== undefined) compare('maxTurns', agent.limits?.maxTurns, label.maxTurns)
  if (label.userInvocable !== undefined)
    compare('userInvocable', agent.userInvocable ?? true, label.userInvocable)
  if (label.modelInvocable !== undefined)
    compare('modelInvocable', agent.modelInvocable ?? true, label.modelInvocable)
  return faults
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 120) ?? 'nothing'
}
