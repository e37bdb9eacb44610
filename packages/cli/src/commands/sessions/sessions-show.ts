import { eventsOf, type StoredSession } from '@cadre/core'
import { lastReport, openSessions } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { journalText } from '../../output/journal-text.ts'
import { createStyle, shouldUseColour } from '../../output/style.ts'

/** `cadre sessions show`. */
export async function showSession(
  io: Io,
  flags: { readonly home?: string; readonly json?: boolean },
  beginning: string,
): Promise<ExitCode> {
  const sessions = await openSessions(io, flags.home)
  const id = await sessions.find(beginning)
  const stored = await sessions.read(id)
  if (flags.json) io.stdout.write(`${JSON.stringify(toJson(stored, sessions.fileOf(id)))}\n`)
  else {
    const style = createStyle(shouldUseColour(io.stdout, io.env))
    io.stdout.write(journalText(stored, eventsOf(stored), sessions.fileOf(id), style))
  }
  return exitCodes.done
}

function toJson(stored: StoredSession, path: string): object {
  const { spec, status, outcome, updated, entries } = stored
  return {
    session: {
      id: spec.id,
      agent: spec.agent.name,
      ...(spec.parent && { parent: spec.parent.session }),
      root: spec.root,
      model: spec.model,
      status,
      outcome: outcome ?? null,
      created: spec.created,
      updated,
      workspace: spec.workspace,
      work: spec.work.content,
      path,
    },
    entries,
    report: lastReport(stored) ?? null,
  }
}
