import { CadreError } from '@cadre/core'
import { openSessions, requireTrustedHome } from '@cadre/runtime'
import { createWorkspaces, type WorkspaceKeeper, type WorkspaceState } from '@cadre/workspaces'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'

export interface WorkspaceFlags {
  readonly home?: string
  readonly trust?: boolean
  readonly json?: boolean
}

export interface FoundWorkspace {
  readonly workspaces: WorkspaceKeeper
  /** Whose workspace it is. */
  readonly owner: string
  /** Set when the session that was named only works there. */
  readonly guest?: string
}

/** The workspace that the session with this id, or beginning of one, works in. Rejects when it has none of its own. */
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

/** What an agent works on this moment is not for anybody else to change. */
export function requireRest({ session, life }: WorkspaceState): void {
  if (life !== 'running') return
  throw new CadreError(
    'owned',
    `session ${session} is running in this workspace. Wait for it to finish, or stop it with: cadre sessions cancel ${session}`,
  )
}

/** One line for the screen, which keeps how far it is indented: names of files are an agent's. */
export function indented(line: string): string {
  const [spaces = ''] = /^ */.exec(line) ?? []
  return `${spaces}${cleanLine(line)}`
}
