import type { Level } from '@cadre/settings-page'
import * as vscode from 'vscode'
import { type LevelSettings, settingsText } from './levels.ts'

/** The text with the settings of a level. */
export interface SettingsFile {
  /** Absent if VS Code does not report the location. Then lines are meaningless. */
  readonly uri?: vscode.Uri
  readonly text: string
}

/** The file of a level, if it contains its agents; otherwise its values as text. */
export async function settingsFile(
  { level, values }: LevelSettings,
  folder: vscode.Uri | undefined,
  context: vscode.ExtensionContext,
): Promise<SettingsFile> {
  const without = { text: settingsText(values) }
  const uri = placeOf(level, folder, context)
  const text = uri && (await textOf(uri))
  if (uri === undefined || text === undefined) return without
  // A profile or a remote machine has another file.
  return text.includes('copilotMultiAgent') ? { uri: openUri(uri), text } : without
}

function placeOf(
  level: Level,
  folder: vscode.Uri | undefined,
  { globalStorageUri }: vscode.ExtensionContext,
): vscode.Uri | undefined {
  // VS Code has no API for it: settings.json is next to the storage folder of all extensions.
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

/** The URI under which the editor opens the file: user settings have their own scheme. */
function openUri(uri: vscode.Uri): vscode.Uri {
  return vscode.workspace.textDocuments.find((document) => document.uri.path === uri.path)?.uri ?? uri
}
