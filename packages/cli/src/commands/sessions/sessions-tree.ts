import {
  agentRounds,
  applyToView,
  CadreError,
  emptyView,
  eventsOf,
  isEndedStatus,
  type SpentBudget,
  type StoredSession,
  spentIn,
  type View,
} from '@cadre/core'
import { openSessions, type Sessions } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { roundLines } from '../../output/round-lines.ts'
import { activityOf } from '../../output/session-text.ts'
import { shownState } from '../../output/shown-state.ts'
import { createStyle, shouldUseColour } from '../../output/style.ts'
import { summaryLine, type TreeOptions, treeLines } from '../../output/tree-lines.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { isTreeStill } from './stopped-sessions.ts'

export interface TreeFlags {
  readonly home?: string
  readonly sessions?: boolean
  readonly json?: boolean
}

/** `cadre sessions tree`. */
export async function showTree(io: Io, flags: TreeFlags, beginning?: string): Promise<ExitCode> {
  const sessions = await openSessions(io, flags.home)
  const root = await rootOf(sessions, beginning)
  const view = emptyView()
  const spent = new Map<string, SpentBudget>()
  for await (const stored of sessions.tree(root)) {
    foldJournal(view, stored)
    spent.set(stored.spec.id, spentIn(stored.entries))
  }
  const isStill = isTreeStill(sessions, root)
  if (flags.json) {
    const rounds = flags.sessions ? {} : { agentRounds: agentRounds(view, root) }
    io.stdout.write(`${JSON.stringify({ ...nodeOf(view, root, isStill, spent), ...rounds })}\n`)
    return exitCodes.done
  }
  const style = createStyle(shouldUseColour(io.stdout, io.env))
  const options: TreeOptions = {
    columns: io.stdout.isTTY ? io.stdout.stream.columns || 80 : 120,
    rows: Number.MAX_SAFE_INTEGER,
    now: Date.now(),
    style,
    isStill,
    about: (session) =>
      `${session.id}  ${shownState(session, view, isStill) === 'stopped' ? 'stopped' : activityOf(session, view)}`,
  }
  const lines = flags.sessions ? treeLines(view, [root], options) : roundLines(view, root, options)
  const hint = resumeHint(view, root, isStill, flags)
  io.stdout.write(`${lines.join('\n')}\n${style.dim(summaryLine(view, '', isStill))}\n${hint}`)
  return exitCodes.done
}

/** How to continue a tree that no process runs and that needs no decision. */
function resumeHint(view: View, root: string, isStill: boolean, flags: TreeFlags): string {
  const session = view.sessions.get(root)
  const state = session && shownState(session, view, isStill)
  const command = `cadre resume ${root}${repeatedFlags({ home: flags.home })}`
  if (state === 'stopped') return `The process of this run has ended. Continue with: ${command}\n`
  // Another worker continues a session that a worker has paused.
  return state === 'paused' && isStill
    ? `A shutdown paused this run. It continues with the next "cadre up", or with: ${command}\n`
    : ''
}

/** Folds a journal into the view. The header takes precedence: a session may have continued after a report. */
function foldJournal(view: View, stored: StoredSession): void {
  for (const event of eventsOf(stored)) applyToView(view, event)
  const session = view.sessions.get(stored.spec.id)
  if (session === undefined || isEndedStatus(stored.status)) return
  session.state = stored.status === 'sleeping' ? 'waiting' : 'working'
  delete session.report
}

async function rootOf(sessions: Sessions, beginning: string | undefined): Promise<string> {
  if (beginning !== undefined) {
    const { id, parent, root } = (await sessions.read(await sessions.find(beginning))).spec
    return parent === undefined ? id : root
  }
  const newest = (await sessions.list()).find(({ parent }) => parent === undefined)
  if (newest === undefined)
    throw new CadreError(
      'not_found',
      `there are no sessions in ${sessions.home.at('sessions')} yet. Start one with "cadre run".`,
    )
  return newest.id
}

function nodeOf(view: View, id: string, isStill: boolean, spent: ReadonlyMap<string, SpentBudget>): object {
  const session = view.sessions.get(id)
  if (session === undefined) return { id }
  const { agent, model, usage, calls, startedAt, updatedAt, report, children } = session
  return {
    id,
    agent,
    model,
    state: shownState(session, view, isStill),
    ...(report && { status: report.status }),
    usage,
    spent: spent.get(id),
    calls,
    rounds: session.rounds.length,
    started: startedAt,
    updated: updatedAt,
    children: children.map((child) => nodeOf(view, child, isStill, spent)),
  }
}
