import path from 'node:path'
import { recordRun } from '@cadre/replay'
import { openSessions } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import { formatCount } from '../../output/numbers.ts'
import { writeFiles } from '../agents/agents-files.ts'

export interface RecordFlags {
  readonly home?: string
  readonly out?: string
  readonly force?: boolean
  readonly json?: boolean
}

/** `cadre record`. */
export async function recordFixture(io: Io, flags: RecordFlags, beginning: string): Promise<ExitCode> {
  const sessions = await openSessions(io, flags.home)
  const id = await sessions.find(beginning)
  const fixture = await recordRun(io, sessions, id)
  await sessions.close()
  const text = `${JSON.stringify(fixture, null, 2)}\n`
  if (flags.out === undefined) {
    io.stdout.write(io.stdout.isTTY ? cleanText(text) : text)
    return exitCodes.done
  }
  const target = path.resolve(io.cwd, flags.out)
  const files = [{ path: path.basename(target), text }]
  const [written] = writeFiles({ folder: path.dirname(target), files, force: flags.force === true })
  const status = written?.status ?? 'unchanged'
  const count = fixture.sessions.length
  if (flags.json)
    io.stdout.write(`${JSON.stringify({ session: id, sessions: count, path: target, status })}\n`)
  else io.stdout.write(`${cleanLine(target)} (${status}): ${formatCount(count, 'session')}\n`)
  return exitCodes.done
}
