import type { Level } from '@cadre/settings-page'
import * as vscode from 'vscode'
import { type LevelSettings, settingsText } from './levels.ts'

/** The text that the settings of a level are in. */
export interface SettingsFile {
  /** Absent where VS Code does not tell where they are. Lines then mean nothing. */
  readonly uri?: vscode.Uri
  readonly text: string
}

/** The file of a level, if its agents are really in it; else its values as text. */
export async function settingsFile(
  { level, values }: LevelSettings,
  folder: vscode.Uri | undefined,
  context: vscode.ExtensionContext,
): Promise<SettingsFile> {
  const without = { text: settingsText(values) }
  const uri = placeOf(level, folder, context)
  const text = uri && (await textOf(uri))
  if (uri === undefined || text === undefined) return without
  // A profile, or a machine at the other end of a connection, has another file.
  return text.includes('copilotMultiAgent') ? { uri: openUri(uri), text } : without
}

function placeOf(
  level: Level,
  folder: vscode.Uri | undefined,
  { globalStorageUri }: vscode.ExtensionContext,
): vscode.Uri | undefined {
  // VS Code has no API for it: settings.json is beside the folder of all extensions' storage.
  if (level === 'user') return vscode.Uri.joinPath(globalStorageUri, '..', '..', 'settings.json')
  const { workspaceFile } = vscode.workspace
  if (level === 'workspace' && workspaceFile !== undefined)
    return workspaceFile.scheme === 'untitled' ? undefined : workspaceFile
  return folder && vscode.Uri.joinPath(folder, '.vscode', 'settings.json')
}

async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri))
  } catch {
    return undefined
  }
}

/** The same file as its editor calls it: that of the user has a scheme of its own. */
function openUri(uri: vscode.Uri): vscode.Uri {
  return vscode.workspace.textDocuments.find((document) => document.uri.path === uri.path)?.uri ?? uri
}
