import { CadreError } from '@cadre/core'
import { openSessions, requireTrustedHome } from '@cadre/runtime'
import { createWorkspaces, type WorkspaceKeeper } from '@cadre/workspaces'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'

export interface WorkspaceFlags {
  readonly home?: string
  readonly trust?: boolean
  readonly json?: boolean
}

export interface FoundWorkspace {
  readonly workspaces: WorkspaceKeeper
  /** The session that owns the workspace. */
  readonly owner: string
  /** Set if the named session works in the workspace but does not own it. */
  readonly guest?: string
}

/** Finds the workspace of the session with this id, or id prefix. Rejects if it has no workspace of its own. */
export async function findWorkspace(io: Io, flags: WorkspaceFlags, named: string): Promise<FoundWorkspace> {
  const workspaces = createWorkspaces({ home: await requireTrustedHome(io, flags) })
  try {
    return { workspaces, owner: workspaces.find(named).session }
  } catch (error) {
    if (!(error instanceof CadreError && error.code === 'not_found')) throw error
    const sessions = await openSessions(io, flags.home)
    try {
      const { id, isolation } = (await sessions.read(await sessions.find(named))).spec
      if (isolation?.kind === 'own')
        return { workspaces, owner: workspaces.find(isolation.session).session, guest: id }
    } finally {
      await sessions.close()
    }
    throw error
  }
}

/** One line for the screen, with its indentation. File names come from agents, so control characters are removed. */
export function indentLine(line: string): string {
  const [spaces = ''] = /^ */.exec(line) ?? []
  return `${spaces}${cleanLine(line)}`
}
