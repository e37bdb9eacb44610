import type { CallView, SessionView, View } from './view.ts'

/** A call in the form that `--json` prints. */
export type RoundCall = Omit<CallView, 'verdict' | 'held' | 'person' | 'startedAt' | 'settledAt'>

/** A round with the rounds of the children it started, to any depth. */
export interface AgentRound {
  readonly roundId: number
  readonly session: string
  readonly agent: string
  readonly reply: string
  readonly toolCalls: readonly RoundCall[]
  readonly subAgentRounds: readonly AgentRound[]
}

/** The tree of rounds of a session. A round is identified by its session and number, so rounds of parallel children cannot collide. */
export function agentRounds(view: View, id: string): AgentRound[] {
  const seen = new Set<string>()
  return roundsOf(id, false)

  function roundsOf(session: string, isOver: boolean): AgentRound[] {
    const known = view.sessions.get(session)
    // Edited files could make a session its own descendant.
    if (known === undefined || seen.has(session)) return []
    seen.add(session)
    const hasEnded = isOver || known.state === 'ended'
    const children = childrenByCall(view, known)
    return known.rounds.map(({ roundId, reply, toolCalls }) => ({
      roundId,
      session,
      agent: known.agent,
      reply,
      toolCalls: toolCalls.map((call) => roundCall(call, isOver)),
      subAgentRounds: toolCalls.flatMap(({ id: call }) =>
        (children.get(call) ?? []).flatMap((child) => roundsOf(child, hasEnded)),
      ),
    }))
  }
}

/**
 * The child sessions of each call: those that name the call as their parent. If a rewound record or a copied file leads to several, only
 * the one that the call itself names.
 */
export function childrenByCall(view: View, session: SessionView): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>()
  for (const id of session.children) {
    const call = view.sessions.get(id)?.parent?.call
    if (call === undefined) continue
    const siblings = children.get(call)
    if (siblings === undefined) children.set(call, [id])
    else siblings.push(id)
  }
  for (const { toolCalls } of session.rounds) {
    for (const { id, child } of toolCalls) {
      const claimed = children.get(id)
      if (child !== undefined && claimed !== undefined && claimed.length > 1 && claimed.includes(child))
        children.set(id, [child])
    }
  }
  return children
}

/** `isOver`: an open call is shown as cancelled, because a killed process did not record that. */
function roundCall(call: CallView, isOver: boolean): RoundCall {
  const { verdict: _, held: __, person: ___, startedAt: ____, settledAt: _____, ...shown } = call
  const isOpen = shown.status === 'pending' || shown.status === 'running' || shown.status === 'waiting'
  return isOver && isOpen ? { ...shown, status: 'cancelled' } : shown
}
