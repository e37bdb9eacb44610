import type { SessionSummary } from '@cadre/files'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { cleanLine } from '../output/clean-text.ts'
import { textTable } from '../output/text-table.ts'
import { openSessions } from '../runtime/open-sessions.ts'

/** `cadre sessions list`. */
export async function listSessions(
  io: Io,
  flags: { readonly home?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const sessions = await openSessions(io, flags.home)
  const all = await sessions.list()
  if (flags.json) io.stdout.write(`${JSON.stringify(all.map(forMachines))}\n`)
  else if (all.length === 0)
    io.stdout.write(`There are no sessions in ${sessions.home.at('sessions')} yet.\n`)
  else io.stdout.write(textTable(['SESSION', 'AGENT', 'STATUS', 'UPDATED', 'PARENT'], all.map(rowOf)))
  return exitCodes.done
}

function forMachines({ id, agent, parent, status, created, updated }: SessionSummary): object {
  return {
    id,
    agent,
    ...(parent !== undefined && { parent: parent.split('/')[0] }),
    status,
    created,
    updated,
  }
}

function rowOf({ id, agent, parent, status, outcome, updated }: SessionSummary): string[] {
  const shown = outcome === undefined || outcome === status ? status : `${status} (${outcome})`
  return [id, agent, shown, updated.replace('T', ' ').slice(0, 19), parent?.split('/')[0] ?? ''].map(
    cleanLine,
  )
}
