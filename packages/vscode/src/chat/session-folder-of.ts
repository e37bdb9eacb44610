import * as vscode from 'vscode'
import type { Services } from '../services.ts'

/** Returns the workspace folder of a session; `undefined` if no home of the workspace contains it. */
export function sessionFolderOf(
  { homes }: Pick<Services, 'homes'>,
  id: string,
): Promise<vscode.WorkspaceFolder | undefined> {
  return homes.find(async ({ engine }, folder) => {
    // An unreadable session is reported when it is used.
    const stored = await engine.read(id).catch(() => undefined)
    if (stored === undefined) return undefined
    const { workspace, isolation } = stored.spec
    const place = isolation?.kind === 'own' ? isolation.base : workspace
    // Several folders can share a home above them.
    return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(place)) ?? folder
  })
}
