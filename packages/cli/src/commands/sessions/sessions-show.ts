import { eventsOf, type StoredSession } from '@cadre/core'
import { lastReport, openSessions } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { journalText } from '../../output/journal-text.ts'
import { createStyle, shouldUseColour } from '../../output/style.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { isTreeStill } from './stopped-sessions.ts'

/** `cadre sessions show`. */
export async function showSession(
  io: Io,
  flags: { readonly home?: string; readonly json?: boolean },
  beginning: string,
): Promise<ExitCode> {
  const sessions = await openSessions(io, flags.home)
  const id = await sessions.find(beginning)
  const read = await sessions.read(id)
  const isStill = read.status === 'active' && isTreeStill(sessions, read.spec.root)
  // It may have ended before its process was looked up.
  const stored = isStill ? await sessions.read(id) : read
  const isStopped = isStill && stored.status === 'active'
  if (flags.json) io.stdout.write(`${JSON.stringify(toJson(stored, sessions.fileOf(id), isStopped))}\n`)
  else {
    const style = createStyle(shouldUseColour(io.stdout, io.env))
    const command = `cadre resume ${stored.spec.root}${repeatedFlags({ home: flags.home })}`
    const status = isStopped ? `stopped, because the process ended. Continue with: ${command}` : undefined
    io.stdout.write(journalText(stored, eventsOf(stored), sessions.fileOf(id), style, status))
  }
  return exitCodes.done
}

function toJson(stored: StoredSession, path: string, isStopped: boolean): object {
  const { spec, status, outcome, updated, entries } = stored
  return {
    session: {
      id: spec.id,
      agent: spec.agent.name,
      ...(spec.parent && { parent: spec.parent.session }),
      root: spec.root,
      model: spec.model,
      status,
      ...(isStopped && { stopped: true }),
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
