import * as vscode from 'vscode'
import { isAgentPath } from './agent-path.ts'

/** The agent files that are open in editors. */
export function openAgentFiles(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(isAgentDocument)
}

export function isAgentDocument(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && !document.isClosed && isAgentPath(document.uri.fsPath)
}

/** What editors have that is not saved yet, by path. */
export function unsavedTexts(): ReadonlyMap<string, string> {
  return new Map(
    openAgentFiles()
      .filter(({ isDirty }) => isDirty)
      .map((document) => [document.uri.fsPath, document.getText()]),
  )
}
