import type { SessionView, View } from '@cadre/core'

/** `paused`: it was suspended without a question. `stopped`: it was working when its process ended. */
export type ShownState = SessionView['state'] | 'paused' | 'stopped'

/** What a suspended session waits for: an answer, here or in a session below, or only to be resumed. */
export type Awaited = 'decision' | 'child-decision' | 'resume-with-decision' | 'resume'

/** The state of a session for people. `isStill`: no process runs its tree. */
export function shownState(session: SessionView, view: View, isStill = false): ShownState {
  const { state } = session
  if (state === 'waiting') return awaitedBy(session, view) === 'resume' ? 'paused' : state
  return isStill && state !== 'ended' ? 'stopped' : state
}

export function awaitedBy(session: SessionView, view: View): Awaited {
  if (session.questions.size > 0) return 'decision'
  const below = suspendedBelow(session, view)
  if (below.some(({ questions }) => questions.size > 0)) return 'child-decision'
  return [session, ...below].some(hasDecidedCall) ? 'resume-with-decision' : 'resume'
}

/** A person has decided a call that has no result yet. */
function hasDecidedCall({ rounds }: SessionView): boolean {
  const open = rounds.at(-1)?.toolCalls.filter(({ status }) => status === 'pending' || status === 'running')
  return open?.some(({ person }) => person !== undefined) ?? false
}

function suspendedBelow(session: SessionView, { sessions }: View): SessionView[] {
  // Files can be edited, so cycles are possible.
  const seen = new Set([session.id])
  const found: SessionView[] = []
  collect(session)
  return found

  function collect({ children }: SessionView): void {
    for (const id of children) {
      const child = sessions.get(id)
      if (child === undefined || child.state !== 'waiting' || seen.has(id)) continue
      seen.add(id)
      found.push(child)
      collect(child)
    }
  }
}
