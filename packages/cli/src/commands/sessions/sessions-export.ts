import path from 'node:path'
import { logFromSession, writeChatLog } from '@cadre/journal'
import { openSessions } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import { writeFiles } from '../agents/agents-files.ts'

export interface ExportSessionFlags {
  readonly home?: string
  readonly out?: string
  readonly format?: 'chat-log'
  readonly force?: boolean
  readonly json?: boolean
}

/** `cadre sessions export`. */
export async function exportSession(io: Io, flags: ExportSessionFlags, beginning: string): Promise<ExitCode> {
  const sessions = await openSessions(io, flags.home)
  const id = await sessions.find(beginning)
  const text = writeChatLog(logFromSession(await sessions.read(id)))
  if (flags.out === undefined) {
    if (flags.json) io.stdout.write(`${JSON.stringify({ session: id, format: 'chat-log', text })}\n`)
    // Unchanged, byte for byte, except for a terminal, where control characters are removed.
    else io.stdout.write(io.stdout.isTTY ? cleanText(text) : text)
    return exitCodes.done
  }
  const target = path.resolve(io.cwd, flags.out)
  const files = [{ path: path.basename(target), text }]
  const [written] = writeFiles({ folder: path.dirname(target), files, force: flags.force === true })
  const told = { session: id, format: 'chat-log', path: target, status: written?.status ?? 'unchanged' }
  if (flags.json) io.stdout.write(`${JSON.stringify(told)}\n`)
  else io.stdout.write(`${cleanLine(target)} (${told.status})\n`)
  return exitCodes.done
}
