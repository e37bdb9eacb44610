import * as vscode from 'vscode'
import { agentGlobs, isAgentPath } from './agent-path.ts'

/** More files than this are looked at only when they are open. */
const mostFiles = 500

/** Every agent file of the workspace, as the settings for searching show them. */
export async function findAgentFiles(): Promise<readonly string[]> {
  const found = await Promise.all(
    agentGlobs.map((glob) => vscode.workspace.findFiles(glob, '**/node_modules/**', mostFiles)),
  )
  const files = new Set(found.flat().map(({ fsPath }) => fsPath))
  return [...files].filter(isAgentPath).sort().slice(0, mostFiles)
}
