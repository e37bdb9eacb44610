import type { Environment, Sessions } from '@cadre/runtime'
import * as vscode from 'vscode'

/** The homes (`.cadre`) of the workspace's folders: what is in them, and when it changes. */
export interface Homes extends vscode.Disposable {
  /** What the runtime gets of this process, for a folder. */
  environment(folder: vscode.WorkspaceFolder): Environment
  /**
   * The sessions and approvals of a folder's home, opened for one use; `undefined` where there is no home, or nobody trusts it. Loads
   * the engine. The caller closes it.
   */
  open(folder: vscode.WorkspaceFolder): Promise<Sessions | undefined>
  /** Fires, at most a few times a second, after something in a home of the workspace has changed. */
  readonly onDidChange: vscode.Event<void>
}

export function createHomes(log: vscode.LogOutputChannel): Homes {
  const changed = new vscode.EventEmitter<void>()
  return {
    environment: (folder) => ({
      env: process.env,
      cwd: folder.uri.fsPath,
      warn: (message) => log.warn(message),
    }),
    open: async () => undefined,
    onDidChange: changed.event,
    dispose: () => changed.dispose(),
  }
}
