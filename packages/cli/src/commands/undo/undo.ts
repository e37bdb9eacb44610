import { CadreError } from '@cadre/core'
import { requirePerson } from '@cadre/gate'
import { openSessions, openUndo, requireTrustedHome } from '@cadre/runtime'
import type { Direction } from '@cadre/workspaces'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { readLine } from '../../run/ask-line.ts'
import { performUndo, type UndoOutcome } from './perform-undo.ts'

export interface UndoFlags {
  readonly home?: string
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly force?: boolean
  readonly skipChanged?: boolean
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre undo`. */
export function undoTurn(io: Io, flags: UndoFlags, named?: string): Promise<ExitCode> {
  return run(io, 'undo', flags, named)
}

/** `cadre redo`. */
export function redoTurn(io: Io, flags: UndoFlags, named?: string): Promise<ExitCode> {
  return run(io, 'redo', flags, named)
}

async function run(
  io: Io,
  direction: Direction,
  flags: UndoFlags,
  named: string | undefined,
): Promise<ExitCode> {
  const { force, skipChanged: skip, dryRun, yes, json } = flags
  if (force && skip)
    throw new CadreError(
      'usage',
      '--force and --skip-changed cannot be combined. Use --force to replace changed files, or --skip-changed to keep them.',
    )
  const home = await requireTrustedHome(io, flags)
  requirePerson(home, io.env)
  const target = await targetOf(io, flags, named)
  const end = await performUndo({
    redo: 'cadre redo',
    undo: openUndo(home, { env: io.env, tell: io.warn }),
    request: { direction, ...target },
    force,
    skip,
    show: (text) => void (json ? undefined : io.stdout.write(text)),
    confirm: async (question) => {
      if (dryRun) return false
      if (yes) return true
      if (!io.stdin.isTTY || !io.stdout.isTTY || json)
        throw new CadreError(
          'usage',
          `cannot ask for confirmation without a terminal. Add --yes to ${direction}, or --dry-run to only list the files.`,
        )
      const signal = new AbortController().signal
      return /^y(?:es)?$/i.test((await readLine(io, question, { signal, interrupt: () => {} })) ?? '')
    },
  })
  if (json) io.stdout.write(`${JSON.stringify(toJson(direction, end))}\n`)
  if (end.kind === 'refused') return exitCodes.failed
  if (end.kind !== 'declined' || dryRun) return exitCodes.done
  io.stdout.write('Nothing was changed.\n')
  return exitCodes.cancelled
}

/** The folder and the entry session of the named session. */
async function targetOf(
  io: Io,
  flags: UndoFlags,
  named: string | undefined,
): Promise<{ readonly workspace: string; readonly session?: string }> {
  if (named === undefined) return { workspace: io.cwd }
  const sessions = await openSessions(io, flags.home)
  try {
    const { spec } = await sessions.read(await sessions.find(named))
    if (spec.isolation?.kind === 'own')
      throw new CadreError(
        'usage',
        `session ${spec.id} works in its own workspace. Undo its changes with: cadre workspace rollback ${spec.id}`,
      )
    return { workspace: spec.workspace, session: spec.root }
  } finally {
    await sessions.close()
  }
}

function toJson(direction: Direction, end: UndoOutcome): object {
  if (end.kind === 'nothing') return { direction, result: 'nothing', reason: end.reason }
  const { session, turn, folder, prompt, started, files, conflicts, notices, incomplete } = end.plan
  return {
    direction,
    result: end.kind === 'declined' ? 'planned' : end.kind,
    session,
    turn,
    folder,
    prompt,
    started,
    files,
    conflicts: conflicts.map(({ path, reason }) => ({ path, reason })),
    notices,
    ...(incomplete !== undefined && { incomplete }),
    ...(end.kind === 'applied' && { skipped: end.skipped }),
  }
}
