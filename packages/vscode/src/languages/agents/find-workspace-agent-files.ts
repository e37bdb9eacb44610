import * as vscode from 'vscode'
import { agentGlobs, isAgentPath } from './agent-path.ts'

/** Beyond this number, only open files are checked. */
const maxFiles = 500

/** All agent files in the workspace, according to the search settings. */
export async function findWorkspaceAgentFiles(): Promise<readonly string[]> {
  const found = await Promise.all(
    agentGlobs.map((glob) => vscode.workspace.findFiles(glob, '**/node_modules/**', maxFiles)),
  )
  const files = new Set(found.flat().map(({ fsPath }) => fsPath))
  return [...files].filter(isAgentPath).sort().slice(0, maxFiles)
}
