import { requirePerson } from '@cadre/gate'
import { readProjected } from '@cadre/journal'
import { openTrustedSessions, type Rewound, rewindSession } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { indentLine } from '../workspace/find-workspace.ts'

export interface RewindFlags {
  readonly home?: string
  readonly dryRun?: boolean
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre sessions rewind`. */
export async function rewindToEntry(
  io: Io,
  flags: RewindFlags,
  beginning: string,
  seq: number,
): Promise<ExitCode> {
  const { dryRun = false } = flags
  const sessions = await openTrustedSessions(io, flags)
  try {
    if (!dryRun) requirePerson(sessions.home, io.env)
    const { spec } = await sessions.read(await sessions.find(beginning))
    const done = await rewindSession(sessions.home, { spec, seq, dryRun })
    if (flags.json) io.stdout.write(`${JSON.stringify({ session: spec.id, ...done, dryRun })}\n`)
    else {
      const isOnWorker = readProjected(sessions.home, spec.id)?.place !== undefined
      const next = isOnWorker
        ? 'While "cadre up" is running, the session continues on a worker.'
        : `Continue with: cadre resume ${spec.id}${repeatedFlags({ home: flags.home })}`
      io.stdout.write(`${linesOf(spec.id, done, dryRun, next).map(indentLine).join('\n')}\n`)
    }
    return exitCodes.done
  } finally {
    await sessions.close()
  }
}

function linesOf(session: string, done: Rewound, dryRun: boolean, next: string): string[] {
  const { seq, removed, children, commits, files } = done
  const what = `${removed} ${removed === 1 ? 'entry' : 'entries'} from ${session}, starting with number ${seq}`
  const stays = [
    ...children.map((child) => `  session ${child}`),
    ...commits.map(
      ({ commit, call, files: changed }) =>
        `  commit ${commit.slice(0, 10)} by ${call}: ${changed.join(', ')}`,
    ),
    ...files.map((file) => `  file ${file}`),
  ]
  return [
    dryRun ? `Would remove ${what}.` : `Removed ${what}.`,
    ...(stays.length === 0 ? [] : ['These stay as they are:', ...stays]),
    ...(dryRun ? [] : [next]),
  ]
}
