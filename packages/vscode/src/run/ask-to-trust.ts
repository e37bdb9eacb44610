import { loadParts } from '@cadre/runtime'
import * as vscode from 'vscode'
import type { Services } from '../services.ts'
import { confirmTrust } from './confirm-trust.ts'

/** Asks whether to trust what a folder brings, also where the person has put it off or declined it before. */
export async function askToTrust(
  { homes, settings }: Services,
  folder: vscode.WorkspaceFolder,
): Promise<void> {
  const environment = homes.environment(folder)
  const { trusted, brought } = await loadParts(
    { ...environment, env: { ...environment.env } },
    { workspace: folder.uri.fsPath, settings: settings.of(folder.uri), asksAgain: true },
    (found) => confirmTrust(found, new Set()),
  )
  if (!trusted) return
  void vscode.window.showInformationMessage(
    brought.length === 0
      ? 'This folder brings nothing that needs your trust.'
      : 'You trust the agents, hooks and tools of this folder, until they change.',
  )
}
