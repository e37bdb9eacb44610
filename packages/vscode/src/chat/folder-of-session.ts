import * as vscode from 'vscode'
import type { Services } from '../services.ts'

/** The folder of the workspace that a session works in; `undefined` where no home of the workspace has it. */
export function folderOfSession(
  { homes }: Pick<Services, 'homes'>,
  id: string,
): Promise<vscode.WorkspaceFolder | undefined> {
  return homes.find(async ({ engine }, folder) => {
    // One that cannot be read is told of by whoever uses it.
    const stored = await engine.read(id).catch(() => undefined)
    if (stored === undefined) return undefined
    const { workspace, isolation } = stored.spec
    const place = isolation?.kind === 'own' ? isolation.base : workspace
    // Several folders can share a home above them.
    return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(place)) ?? folder
  })
}
