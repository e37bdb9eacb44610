import {
  answerDrafts,
  answerIn,
  CadreError,
  type Engine,
  type Entry,
  foldEntries,
  isAsked,
  type Orchestrator,
  type StoredSession,
} from '@cadre/core'
import type { TreeLog } from '../log/tree-log.ts'
import type { RestResult, TreeMessage, TreeOrder, TreeResult } from '../tree-order.ts'
import { recordEdit } from './record-edit.ts'
import { restAsIs } from './rest-as-is.ts'

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
): Promise<RestResult> {
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

/** Delivers a message to a tree that is not running. */
async function wake(message: TreeMessage, host: OrderHost, signal: AbortSignal): Promise<RestResult> {
  const { log, orchestrator } = host
  switch (message.kind) {
    case 'answer':
      await recordAnswer(log, message)
      return resumeUncancelled(message.session, host, signal)
    case 'tell':
      return orchestrator.resume(message.session, { work: message.work }, signal)
    case 'resume':
      return resumeUncancelled(message.session, host, signal)
    case 'cancel':
      return endBelow(message, host, signal)
    case 'edit':
      await recordEdit(log, message)
      if (message.resumes) return resumeUncancelled(message.session, host, signal)
      return restAsIs(host, signal)
    case 'interrupt':
    case 'archive':
      return restAsIs(host, signal)
  }
}

/** A person's cancel is permanent, even if an order was sent before it took effect. Only a new message continues the session. */
async function resumeUncancelled(session: string, host: OrderHost, signal: AbortSignal): Promise<RestResult> {
  const { log, orchestrator } = host
  // A child of an open run continues with the run.
  const target = log.isOpen(log.root) ? log.root : session
  const entries = (await log.load(target))?.entries ?? []
  // Resuming a child that has ended resumes its run.
  const hasEnded = foldEntries(entries, target).ended !== undefined
  const ofRun = hasEnded ? (await log.load(log.root))?.entries : undefined
  if (isCancelled(entries, target) || isCancelled(ofRun ?? [], log.root)) return restAsIs(host, signal)
  const result = await orchestrator.resume(session, {}, signal)
  // If the run has finished too, nothing ran: a later life repeats an order that an earlier one has carried out.
  const isOld = hasEnded && result.kind === 'report' && result.report.session === target
  return isOld && target !== log.root ? restAsIs(host, signal) : result
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
): Promise<RestResult> {
  const { log, engine, endSession } = host
  const ending: StoredSession[] = []
  for (const id of log.ids()) {
    if (!log.isOpen(id) || !(await log.isWithin(id, session))) continue
    const stored = await log.stored(id)
    if (stored !== undefined) ending.push(stored)
  }
  // Children first: a parent ends after the sessions below it.
  for (const stored of ending.sort((a, b) => b.spec.depth - a.spec.depth))
    await endSession(engine, stored, reason)
  // The session above continues without it. A run that has ended does not begin again.
  const above = (await log.load(session))?.spec.parent?.session
  for (const id of [above, log.root])
    if (id !== undefined && log.isOpen(id)) return resumeUncancelled(id, host, signal)
  return restAsIs(session === log.root ? { ...host, previous: undefined } : host, signal)
}
