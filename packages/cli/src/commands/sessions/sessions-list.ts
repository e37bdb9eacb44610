import type { SessionSummary } from '@cadre/journal'
import { openSessions } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { localTime } from '../../output/local-time.ts'
import { availableWidth, textTable } from '../../output/text-table.ts'
import { truncateText } from '../../output/text-width.ts'
import { workText } from '../../output/work-text.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { daemonHint } from '../engine/daemon-hint.ts'
import { listWithStopped } from './stopped-sessions.ts'

/** `cadre sessions list`. */
export async function listSessions(
  io: Io,
  flags: { readonly home?: string; readonly roots?: boolean; readonly json?: boolean },
): Promise<ExitCode> {
  const sessions = await openSessions(io, flags.home)
  const { all: every, stopped } = await listWithStopped(sessions)
  const all = flags.roots ? every.filter(({ parent }) => parent === undefined) : every
  if (flags.json)
    io.stdout.write(`${JSON.stringify(all.map((session) => toJson(session, stopped.has(session.id))))}\n`)
  else if (all.length === 0) {
    const hint = await daemonHint(io, sessions.home)
    io.stdout.write(`No sessions in ${sessions.home.at('sessions')} yet.${hint}\n`)
  } else {
    const head = ['SESSION', 'AGENT', 'STATUS', 'UPDATED', 'PARENT', 'WORK']
    // Without delegated sessions, the parent column is empty.
    const rows = all.map((session) => rowOf(session, stopped.has(session.id)))
    const table = [head, ...rows].map((row) => (flags.roots ? row.toSpliced(4, 1) : row))
    io.stdout.write(textTable(table[0] ?? head, table.slice(1), availableWidth(io.stdout)))
    io.stdout.write(stoppedHint([...new Set(stopped.values())], repeatedFlags({ home: flags.home })))
  }
  return exitCodes.done
}

const maxHints = 5

/** How to continue the runs with stopped sessions. */
function stoppedHint(roots: readonly string[], flags: string): string {
  if (roots.length === 0) return ''
  const commands = roots.slice(0, maxHints).map((root) => `  cadre resume ${cleanLine(root)}${flags}`)
  const more = roots.length > maxHints ? ['  …'] : []
  return ['', 'Stopped, because the process ended. Continue with:', ...commands, ...more, ''].join('\n')
}

function toJson(
  { id, agent, parent, status, created, updated, work }: SessionSummary,
  isStopped: boolean,
): object {
  return {
    id,
    agent,
    ...(parent !== undefined && { parent: parent.split('/')[0] }),
    status,
    ...(isStopped && { stopped: true }),
    created,
    updated,
    ...(work !== undefined && { work: workText(work) }),
  }
}

const maxWidth = 80

function rowOf(
  { id, agent, parent, status, outcome, updated, work = '' }: SessionSummary,
  isStopped: boolean,
): string[] {
  const ended = outcome === undefined || outcome === status ? status : `${status} (${outcome})`
  const shown = isStopped ? 'stopped' : ended
  const when = localTime(updated)
  const begins = truncateText(workText(work), maxWidth)
  return [id, agent, shown, when, parent?.split('/')[0] ?? '', begins].map(cleanLine)
}
