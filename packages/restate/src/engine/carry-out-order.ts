import {
  answerDrafts,
  answerIn,
  CadreError,
  type Engine,
  type Entry,
  foldEntries,
  isAsked,
  type Orchestrator,
  type Report,
  type StoredSession,
} from '@cadre/core'
import type { TreeLog } from '../log/tree-log.ts'
import type { TreeMessage, TreeOrder, TreeResult } from '../tree-order.ts'
import { recordEdit } from './record-edit.ts'

export interface OrderHost {
  readonly log: TreeLog
  readonly engine: Engine
  readonly orchestrator: Orchestrator
  readonly endSession: (engine: Engine, session: StoredSession, reason: string) => Promise<void>
  /** The result of the last run. */
  readonly previous: TreeResult | undefined
}

/** Runs a tree as ordered. A later life repeats the order, so it continues if the order has already begun. */
export async function carryOutOrder(
  order: Exclude<TreeOrder, { kind: 'lend' | 'wake' }>,
  host: OrderHost,
  signal: AbortSignal,
): Promise<TreeResult> {
  const { log, orchestrator } = host
  const { root } = log
  switch (order.kind) {
    case 'start':
      if (log.has(root)) return resumeUncancelled(root, host, signal)
      // An earlier life cannot have created it in another tree, and the log of this one does not have it.
      return orchestrator.start({ ...order.request, id: root }, signal)
    case 'resume':
      if (order.options === undefined) return resumeUncancelled(order.session, host, signal)
      return orchestrator.resume(order.session, order.options, signal)
    case 'message':
      return wake(order.message, host, signal)
  }
}

/** The session to resume if the order has to continue in another invocation. */
export function sessionOf(order: TreeOrder, root: string): string {
  if (order.kind === 'resume') return order.session
  const message = order.kind === 'message' ? order.message : undefined
  // A message may wake a child of a finished run.
  return message?.kind === 'tell' || message?.kind === 'edit' ? message.session : root
}

/** Delivers a message to a tree that is not running. */
async function wake(message: TreeMessage, host: OrderHost, signal: AbortSignal): Promise<TreeResult> {
  const { log, orchestrator, previous } = host
  switch (message.kind) {
    case 'answer':
      await recordAnswer(log, message)
      return resumeUncancelled(log.root, host, signal)
    case 'tell':
      return orchestrator.resume(message.session, { work: message.work }, signal)
    case 'resume':
      return resumeUncancelled(message.session, host, signal)
    case 'cancel':
      return endBelow(message, host, signal)
    case 'edit':
      await recordEdit(log, message)
      if (message.resumes) return resumeUncancelled(message.session, host, signal)
      return previous ?? { kind: 'continued' }
    case 'interrupt':
    case 'archive':
      return previous ?? { kind: 'continued' }
  }
}

/** A person's cancel is permanent, even if an order was sent before it took effect. Only a new message continues the session. */
async function resumeUncancelled(
  session: string,
  { log, orchestrator, previous }: OrderHost,
  signal: AbortSignal,
): Promise<TreeResult> {
  const root = await log.stored(log.root)
  // A child of an open run continues with the run.
  const target = session === log.root || isOpen(root) ? root : await log.stored(session)
  const isEnded = target !== undefined && isCancelled(target.entries, target.spec.id)
  const report = isEnded ? reportIn(target) : undefined
  if (report === undefined) return orchestrator.resume(session, {}, signal)
  return previous ?? { kind: 'report', report }
}

function isOpen(stored: StoredSession | undefined): stored is StoredSession {
  return stored?.status === 'active' || stored?.status === 'sleeping'
}

function isCancelled(entries: readonly Entry[], id: string): boolean {
  const { ended, cancelledBy } = foldEntries(entries, id)
  return ended?.status === 'cancelled' && cancelledBy === 'person'
}

/** Records an answer, unless the question has one. The answer may be a vote. */
export async function recordAnswer(
  log: TreeLog,
  { session, name, answer }: Extract<TreeMessage, { kind: 'answer' }>,
): Promise<void> {
  const entries = (await log.load(session))?.entries ?? []
  if (!isAsked(entries, name))
    throw new CadreError('not_found', `session ${session} is not waiting for an answer to ${name}.`)
  if (isCancelled(entries, session)) throw new CadreError('not_found', `session ${session} was cancelled.`)
  if (answerIn(entries, name) !== undefined) return
  const drafts = answerDrafts(entries, name, answer)
  if (drafts.length > 0) log.record(session, drafts)
}

/** Ends a session of a tree that is not running, and all sessions below it. */
async function endBelow(
  { session, reason }: Extract<TreeMessage, { kind: 'cancel' }>,
  host: OrderHost,
  signal: AbortSignal,
): Promise<TreeResult> {
  const { log, engine, endSession, previous } = host
  const ending: StoredSession[] = []
  for (const id of log.ids()) {
    if (!log.isOpen(id) || !(await log.isWithin(id, session))) continue
    const stored = await log.stored(id)
    if (stored !== undefined) ending.push(stored)
  }
  // Children first: a parent ends after the sessions below it.
  for (const stored of ending.sort((a, b) => b.spec.depth - a.spec.depth))
    await endSession(engine, stored, reason)
  // The run continues without the session. A run that has ended does not begin again.
  if (log.isOpen(log.root)) return resumeUncancelled(log.root, host, signal)
  const report = session === log.root ? reportIn(await log.stored(session)) : undefined
  return report === undefined ? (previous ?? { kind: 'continued' }) : { kind: 'report', report }
}

function reportIn(stored: StoredSession | undefined): Report | undefined {
  const ended = stored?.entries.findLast((entry) => entry.role === 'event' && entry.type === 'session.ended')
  return ended?.role === 'event' ? (ended['report'] as unknown as Report) : undefined
}
