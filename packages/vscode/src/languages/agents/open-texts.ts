import * as vscode from 'vscode'
import { isAgentPath } from './agent-path.ts'

/** The agent files that are open in editors. */
export function openAgentFiles(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(isAgentDocument)
}

export function isAgentDocument(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && !document.isClosed && isAgentPath(document.uri.fsPath)
}

/** Unsaved texts of editors, by path. */
export function unsavedTexts(): ReadonlyMap<string, string> {
  return new Map(
    openAgentFiles()
      .filter(({ isDirty }) => isDirty)
      .map((document) => [document.uri.fsPath, document.getText()]),
  )
}
