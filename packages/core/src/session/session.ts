import type { Run, StepOptions } from '../ports/engine.ts'
import type { Draft, Entry, EventDraft, UserDraft } from '../ports/entry.ts'
import { CadreError } from '../ports/errors.ts'
import type { EventBody } from '../ports/events.ts'
import type { Gate } from '../ports/gate.ts'
import type { Model } from '../ports/model.ts'
import type { Ports } from '../ports/ports.ts'
import { addUsage, type Notice, noUsage, type Report, type Usage } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { ReadCall } from '../rules/create-gate.ts'
import type { Teammates } from '../tree/teammates.ts'
import type { Tree, TreeNode } from '../tree/tree.ts'
import type { Toolset } from '../vocabulary/toolset.ts'
import type { SessionState } from './session-state.ts'
import { applyEntry, foldEntries, startedCalls } from './state.ts'

export interface BackgroundChild {
  readonly child: string
  readonly report: Promise<Report>
}

/** A session while it runs: its data, its state, and its ways to the outside. */
export interface Session {
  readonly spec: SessionSpec
  readonly ports: Ports
  readonly gate: Gate
  readonly tree: Tree
  readonly node: TreeNode
  readonly run: Run
  readonly model: Model
  readonly toolset: Toolset
  systemPrompt: string
  state: SessionState
  /** Calls that were started before this life of the session: their effect may have happened. */
  inherited: Set<string>
  /** Calls that were held in this life: everybody has just judged them. */
  readonly heldNow: Set<string>
  /** Calls that the gate allowed in this life because they change nothing. */
  readonly readsOnly: Set<string>
  /** The calls of the last reply as this life has read them. */
  read: Map<string, ReadCall>
  /** Children in the background that this life has started or re-attached to. */
  readonly background: Map<string, BackgroundChild>
  /** Those it leads, from the first round in which it does. */
  teammates: Teammates | undefined
  /** What children cost whose calls stay open because the session is being stopped: in the report, but not in the record. */
  left: { usage: Usage; sessions: number; calls: number }
  holdsSlot: boolean
  /** Whether something was said to it that is not in its record yet. */
  hasMessages(): boolean
  emit(body: EventBody): void
}

/** Throws when this life is lost: the process that took the session over continues it from what is recorded. */
export function requireLife({ tree, spec }: Pick<Session, 'tree' | 'spec'>): void {
  if (!tree.isLost) return
  const message = `session ${spec.id} was taken over by another process, which continues it.`
  throw new CadreError('owned', message)
}

/** Records what `work` returns and takes it into the state. A lost life records nothing. */
export async function record(
  session: Session,
  name: string,
  work: () => readonly Draft[] | Promise<readonly Draft[]>,
  options?: StepOptions,
): Promise<readonly Entry[]> {
  const whileAlive = (drafts: readonly Draft[]) => {
    requireLife(session)
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

/** A message that no person wrote: a nudge, a follow-up, what a hook adds. */
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

/** Takes up what a person changed in the record: the new record is the truth. True when there was anything. */
export function takeUpChanges(session: Session): boolean {
  const change = session.run.changes()
  if (change === undefined) return false
  session.state = foldEntries(change.entries, session.spec.id)
  session.systemPrompt = change.systemPrompt
  // A rewound session may find calls open whose effects were carried out in the tail that was removed.
  session.inherited = startedCalls(session.state)
  for (const [call, { child }] of session.background) {
    if (!session.state.background.has(call))
      session.tree.node(child)?.stop({ kind: 'cancelled', by: 'parent' })
  }
  session.emit({ type: 'journal.edited', summary: change.summary, rounds: session.state.round })
  return true
}

/** Gives the slot back for as long as `wait` takes: who waits for children must not keep them from working. */
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

export const nothingLeft: Session['left'] = { usage: noUsage, sessions: 0, calls: 0 }

export function leaveBehind(session: Session, { usage, sessions, calls }: Report): void {
  const { left } = session
  session.left = {
    usage: addUsage(left.usage, usage),
    sessions: left.sessions + sessions,
    calls: left.calls + calls,
  }
}
