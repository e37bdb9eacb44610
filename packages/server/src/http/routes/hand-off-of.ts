import { existsSync } from 'node:fs'
import { type Handoff, handoffHistory, type StoredSession } from '@cadre/core'
import { chooseAgent } from '@cadre/runtime'
import type { SessionStart } from '../../session-keeper.ts'
import type { DaemonOperations } from '../api-context.ts'

/** The options for starting a handoff's agent: the conversation and the same folder. */
export function handOffOf(
  stored: StoredSession,
  { agent, context, model }: Handoff,
  operate: DaemonOperations,
): Omit<SessionStart, 'startedBy'> {
  const history = handoffHistory(stored, context)
  return {
    agent: chooseAgent({ agents: operate.registry() }, agent).name,
    ...placeOf(stored),
    ...(history.length > 0 && { history }),
    ...(model !== undefined && { model }),
    ...(stored.spec.controls && { controls: stored.spec.controls }),
  }
}

/** The session's folder. If the session had its own workspace and did not change it, that workspace no longer exists. */
function placeOf({ spec }: StoredSession): Pick<SessionStart, 'workspace' | 'isolation'> {
  const { workspace, isolation } = spec
  if (isolation?.kind === 'own' && !existsSync(workspace)) return { workspace: isolation.base }
  return { workspace, ...(isolation && { isolation }) }
}
