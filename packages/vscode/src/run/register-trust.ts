import * as vscode from 'vscode'
import { showInfo } from '../messages.ts'
import { registerCommand } from '../register-command.ts'
import type { Services } from '../services.ts'

/** The command that asks whether to trust a folder, whatever the earlier answer. */
export function registerTrust(services: Services): vscode.Disposable {
  return registerCommand(services.log, 'trustFolder', async () => {
    if (!vscode.workspace.isTrusted)
      throw new Error(
        'This workspace is in Restricted Mode. Run "Workspaces: Manage Workspace Trust" to trust it first.',
      )
    const folder = await pickFolder()
    if (folder === undefined) return
    const { askForTrust } = await import('./ask-for-trust.ts')
    const { isTrusted, wasAsked } = await askForTrust(services, folder)
    if (isTrusted && !wasAsked)
      void showInfo(
        'Nothing in this folder needs your trust: there are no agents, hooks or tools in it, or you trust them already.',
      )
    await vscode.commands.executeCommand('copilotMultiAgent.refreshViews')
  })
}

async function pickFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file')
  const [only, second] = folders
  if (only === undefined) throw new Error('No folder is open. Open one with File > Open Folder.')
  if (second === undefined) return only
  const picked = await vscode.window.showQuickPick(
    folders.map((folder) => ({ label: folder.name, description: folder.uri.fsPath, folder })),
    { title: 'Which folder?' },
  )
  return picked?.folder
}
