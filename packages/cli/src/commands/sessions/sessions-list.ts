import type { SessionSummary } from '@cadre/journal'
import { openSessions } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { localTime } from '../../output/local-time.ts'
import { availableWidth, textTable } from '../../output/text-table.ts'
import { truncateText } from '../../output/text-width.ts'
import { workText } from '../../output/work-text.ts'

/** `cadre sessions list`. */
export async function listSessions(
  io: Io,
  flags: { readonly home?: string; readonly roots?: boolean; readonly json?: boolean },
): Promise<ExitCode> {
  const sessions = await openSessions(io, flags.home)
  const every = await sessions.list()
  const all = flags.roots ? every.filter(({ parent }) => parent === undefined) : every
  if (flags.json) io.stdout.write(`${JSON.stringify(all.map(toJson))}\n`)
  else if (all.length === 0) io.stdout.write(`No sessions in ${sessions.home.at('sessions')} yet.\n`)
  else {
    const head = ['SESSION', 'AGENT', 'STATUS', 'UPDATED', 'PARENT', 'WORK']
    // Without delegated sessions, the parent column is empty.
    const table = [head, ...all.map(rowOf)].map((row) => (flags.roots ? row.toSpliced(4, 1) : row))
    io.stdout.write(textTable(table[0] ?? head, table.slice(1), availableWidth(io.stdout)))
  }
  return exitCodes.done
}

function toJson({ id, agent, parent, status, created, updated, work }: SessionSummary): object {
  return {
    id,
    agent,
    ...(parent !== undefined && { parent: parent.split('/')[0] }),
    status,
    created,
    updated,
    ...(work !== undefined && { work: workText(work) }),
  }
}

const maxWidth = 80

function rowOf({ id, agent, parent, status, outcome, updated, work = '' }: SessionSummary): string[] {
  const shown = outcome === undefined || outcome === status ? status : `${status} (${outcome})`
  const when = localTime(updated)
  const begins = truncateText(workText(work), maxWidth)
  return [id, agent, shown, when, parent?.split('/')[0] ?? '', begins].map(cleanLine)
}
