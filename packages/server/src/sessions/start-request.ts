import { CadreError, didYouMean, type Orchestrator, resolveModel } from '@cadre/core'
import type { DaemonParts } from '../daemon/daemon-runtime.ts'
import type { KeepRequest, SessionStart } from '../session-keeper.ts'

export function sessionStartOf({ workspace = '', reportsFailure: _, ...request }: KeepRequest, own: string) {
  return (by: Orchestrator, signal: AbortSignal) =>
    by.start({ ...request, workspace: workspace || own, plain: false }, signal)
}

/** Rejects requests that cannot start, so that the caller keeps them and retries. */
export async function requireAgent({ agent }: SessionStart, { agents, models }: DaemonParts): Promise<void> {
  const known = agents.get(agent)
  if (known !== undefined) {
    await resolveModel({ models }, { agent: known })
    return
  }
  const names = agents.list().map(({ name }) => name)
  throw new CadreError(
    'not_found',
    `there is no agent named ${JSON.stringify(agent)}${didYouMean(agent, names) || '.'} Known: ${names.join(', ') || 'none'}.`,
  )
}
