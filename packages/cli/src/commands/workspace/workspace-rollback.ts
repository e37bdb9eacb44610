import { CadreError } from '@cadre/core'
import { requireIdleWorkspace, requireTrustedHome, rollBackWorkspace, rollbackJson } from '@cadre/runtime'
import { createWorkspaces, type RollbackResult } from '@cadre/workspaces'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { formatCount } from '../../output/numbers.ts'
import { findWorkspace, indentLine, type WorkspaceFlags } from './find-workspace.ts'

export interface RollbackFlags extends WorkspaceFlags {
  readonly call?: string
  readonly all?: boolean
}

/** `cadre workspace rollback`. */
export async function rollBackWorkspaces(io: Io, flags: RollbackFlags, named?: string): Promise<ExitCode> {
  const { call, all } = flags
  if ((named === undefined) === (all !== true))
    throw new CadreError('usage', 'name the session whose changes to undo, or use --all for every session.')
  if (all && call !== undefined)
    throw new CadreError(
      'usage',
      '--call and --all cannot be combined. Use --call to undo one call, or --all to undo everything.',
    )
  const undone: RolledBack[] = []
  if (named === undefined) {
    const workspaces = createWorkspaces({ home: await requireTrustedHome(io, flags) })
    const states = await workspaces.list()
    // Checked before the first one is changed.
    for (const state of states) requireIdleWorkspace(state)
    for (const { session } of states) undone.push({ session, result: await workspaces.rollback(session, {}) })
  } else {
    const { workspaces, owner, guest } = await findWorkspace(io, flags, named)
    const result = await rollBackWorkspace(workspaces, owner, { call, session: guest })
    undone.push({ session: owner, result })
  }
  if (flags.json)
    io.stdout.write(`${JSON.stringify(undone.map(({ session, result }) => rollbackJson(session, result)))}\n`)
  else io.stdout.write(`${undone.flatMap(linesOf).map(indentLine).join('\n') || 'Nothing to undo.'}\n`)
  return undone.some(({ result }) => result.kind === 'in_the_way') ? exitCodes.failed : exitCodes.done
}

interface RolledBack {
  readonly session: string
  readonly result: RollbackResult
}

function linesOf({ session, result }: RolledBack): string[] {
  switch (result.kind) {
    case 'nothing':
      return [`${session}: nothing left to undo.`]
    case 'undone': {
      const { steps, files, record } = result
      const again =
        record.merged === undefined
          ? []
          : [`These changes were already merged. Undo them there with "cadre workspace merge ${session}".`]
      return [
        `${session}: undone in commit ${record.tip.slice(0, 10)}`,
        ...steps.map(({ subject, call }) => `  ${subject}${call === undefined ? '' : ` (${call})`}`),
        `Restored ${formatCount(files.length, 'file')}: ${files.join(', ') || 'none differed'}`,
        ...again,
      ]
    }
    case 'in_the_way':
      return [
        `${session}: nothing was undone, because later changes depend on these files: ${result.files.join(', ')}`,
        ...result.by.map(({ subject, call }) => `  ${subject}${call === undefined ? '' : ` (${call})`}`),
        "Undo the later changes first, or undo all of the session's changes.",
      ]
  }
}
