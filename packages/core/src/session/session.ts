import type { Run, StepOptions } from '../ports/engine.ts'
import type { Draft, Entry, EventDraft, UserDraft } from '../ports/entry.ts'
import { CadreError } from '../ports/errors.ts'
import type { EventBody } from '../ports/events.ts'
import type { Gate } from '../ports/gate.ts'
import type { Model, PermittedEffects } from '../ports/model.ts'
import type { Ports } from '../ports/ports.ts'
import { addUsage, type Notice, noUsage, type Report, type Usage } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { ParsedCall } from '../rules/create-gate.ts'
import type { Tree, TreeNode } from '../tree/tree.ts'
import type { Toolset } from '../vocabulary/toolset.ts'
import type { LedTeammates } from './led-teammates.ts'
import type { SessionState } from './session-state.ts'
import { applyEntry, foldEntries, startedCalls } from './state.ts'

export interface BackgroundChild {
  readonly child: string
  readonly report: Promise<Report>
}

/** A running session: its spec, its state and its ports. */
export interface Session {
  readonly spec: SessionSpec
  readonly ports: Ports
  readonly gate: Gate
  readonly tree: Tree
  readonly node: TreeNode
  readonly run: Run
  readonly model: Model
  readonly toolset: Toolset
  readonly permits: PermittedEffects
  systemPrompt: string
  state: SessionState
  /** Calls that were started before this life of the session: their effect may have happened. */
  inherited: Set<string>
  /** Calls that were held in this life, so the rules have just judged them. */
  readonly heldNow: Set<string>
  /** Calls that the gate allowed in this life because they change nothing. */
  readonly readsOnly: Set<string>
  /** The calls of the last reply as this life has read them. */
  read: Map<string, ParsedCall>
  /** Children in the background that this life has started or re-attached to. */
  readonly background: Map<string, BackgroundChild>
  /** The teammates it leads. Set from the first round in which it leads a team. */
  teammates: LedTeammates | undefined
  /** The usage of children whose calls stay open because the session is being stopped. It is in the report, but not in the record. */
  left: { usage: Usage; sessions: number; calls: number }
  holdsSlot: boolean
  /** Returns whether it has messages that are not recorded yet. */
  hasMessages(): boolean
  emit(body: EventBody): void
}

/** Throws if this life is lost. The process that took the session over continues it from the record. */
export function requireOwnership({ tree, spec }: Pick<Session, 'tree' | 'spec'>): void {
  if (!tree.isLost) return
  const message = `session ${spec.id} was taken over by another process, which continues it.`
  throw new CadreError('owned', message)
}

/** Records the entries that `work` returns and applies them to the state. A lost life records nothing. */
export async function record(
  session: Session,
  name: string,
  work: () => readonly Draft[] | Promise<readonly Draft[]>,
  options?: StepOptions,
): Promise<readonly Entry[]> {
  const whileAlive = (drafts: readonly Draft[]) => {
    requireOwnership(session)
    return drafts
  }
  const step = () => {
    const drafts = work()
    return drafts instanceof Promise ? drafts.then(whileAlive) : whileAlive(drafts)
  }
  const entries = await session.run.step(name, step, options)
  for (const entry of entries) applyEntry(session.state, entry, session.spec.id)
  return entries
}

/** Records a message that no person wrote: a nudge, a follow-up, or text from a hook. */
export async function say(session: Session, name: string, draft: Omit<UserDraft, 'role'>): Promise<void> {
  const { content: text, nudge, from = 'cadre' } = draft
  await record(session, name, () => [{ role: 'user', from, ...draft }])
  const why = nudge && { nudge, round: session.state.round }
  session.emit({ type: 'message.added', from, text, ...why })
}

export async function notice(session: Session, code: string, message: string): Promise<void> {
  await record(session, `notice/${session.state.seq}`, () => [noticeDraft({ code, message })])
  session.emit({ type: 'notice.added', notice: { code, message } })
}

export function noticeDraft({ code, message }: Notice): EventDraft {
  return { role: 'event', type: 'notice.added', code, content: message }
}

/** Applies a person's edits of the record, which replace the state. Returns true if there were any. */
export function applyEdits(session: Session): boolean {
  const change = session.run.changes()
  if (change === undefined) return false
  session.state = foldEntries(change.entries, session.spec.id)
  session.systemPrompt = change.systemPrompt
  // After a rewind, calls may be open whose effects happened in the removed part of the record.
  session.inherited = startedCalls(session.state)
  for (const [call, { child }] of session.background) {
    if (!session.state.background.has(call))
      session.tree.node(child)?.stop({ kind: 'cancelled', by: 'parent' })
  }
  session.emit({ type: 'journal.edited', summary: change.summary, rounds: session.state.round })
  return true
}

/** Releases the slot during `wait`: a session that waits for its children must not block them. */
export async function withoutSlot<T>(session: Session, wait: () => Promise<T>): Promise<T> {
  if (!session.holdsSlot) return wait()
  session.holdsSlot = false
  session.tree.slots.give()
  try {
    return await wait()
  } finally {
    session.holdsSlot = await session.tree.slots.take(session.node.signal)
  }
}

export const noUnreportedWork: Session['left'] = { usage: noUsage, sessions: 0, calls: 0 }

export function addUnreportedWork(session: Session, { usage, sessions, calls }: Report): void {
  const { left } = session
  session.left = {
    usage: addUsage(left.usage, usage),
    sessions: left.sessions + sessions,
    calls: left.calls + calls,
  }
}
