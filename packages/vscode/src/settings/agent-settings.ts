import type { EditorSettings } from '@cadre/agents'
import type { Configuration, Level } from '@cadre/settings-page'
import * as vscode from 'vscode'
import type { CheckedSettings } from './check-settings.ts'
import { effectiveSettings, type LevelSettings, settingsKeys, settingsSection } from './levels.ts'

/** The agents in VS Code's settings. */
export interface AgentSettings extends vscode.Disposable {
  /** The settings that apply to a folder, for the runtime. */
  of(folder: vscode.Uri | undefined): EditorSettings
  /** The settings of each level, from user to folder. Levels of an untrusted workspace are omitted. */
  levels(folder: vscode.Uri | undefined): readonly LevelSettings[]
  /** The problems at each level. Loads the package that reads them, unless nothing is set. */
  check(folder: vscode.Uri | undefined): Promise<SettingsCheck>
  /** Writes agents at one level, in the current format; `undefined` removes them. */
  write(folder: vscode.Uri | undefined, level: Level, configuration: Configuration | undefined): Promise<void>
  /** Fires when a setting of the agents has changed, at any level. */
  readonly onDidChange: vscode.Event<void>
}

export interface SettingsCheck extends CheckedSettings {
  /** The files of the levels, if known. */
  readonly files: ReadonlyMap<Level, vscode.Uri>
}

const targets = {
  user: vscode.ConfigurationTarget.Global,
  workspace: vscode.ConfigurationTarget.Workspace,
  folder: vscode.ConfigurationTarget.WorkspaceFolder,
} as const

export function createAgentSettings(context: vscode.ExtensionContext): AgentSettings {
  const changed = new vscode.EventEmitter<void>()
  let writing = 0
  const subscriptions = vscode.Disposable.from(
    changed,
    // The keys are written one after the other. The state in between must be ignored.
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (writing === 0 && event.affectsConfiguration(settingsSection)) changed.fire()
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
  )
  return {
    of: (folder) => effectiveSettings(levelsOf(folder)),
    levels: levelsOf,
    async check(folder) {
      const levels = levelsOf(folder)
      const files = new Map<Level, vscode.Uri>()
      if (levels.every(({ values }) => Object.keys(values).length === 0))
        return { problems: [], old: [], files }
      const [{ checkSettings }, { settingsFile }] = await Promise.all([
        import('./check-settings.ts'),
        import('./settings-files.ts'),
      ])
      const texts = await Promise.all(
        levels.map(async (level) => {
          const { uri, text } = await settingsFile(level, folder, context)
          if (uri !== undefined) files.set(level.level, uri)
          return { ...level, text, isFile: uri !== undefined, path: uri?.path ?? 'settings.json' }
        }),
      )
      return { ...(await checkSettings(texts)), files }
    },
    async write(folder, level, configuration) {
      const settings = vscode.workspace.getConfiguration(settingsSection, folder)
      const values = levelsOf(folder).find((other) => other.level === level)?.values ?? {}
      writing++
      try {
        for (const key of settingsKeys) {
          const value = key === 'agents' || key === 'entryAgent' ? configuration?.[key] : undefined
          if (value === undefined && values[key] === undefined) continue
          await settings.update(key, value, targets[level])
        }
      } finally {
        writing--
        changed.fire()
      }
    },
    onDidChange: changed.event,
    dispose: () => subscriptions.dispose(),
  }
}

function levelsOf(folder: vscode.Uri | undefined): readonly LevelSettings[] {
  const settings = vscode.workspace.getConfiguration(settingsSection, folder)
  const parts = {
    user: 'globalValue',
    workspace: 'workspaceValue',
    folder: 'workspaceFolderValue',
  } as const
  return availableLevels().map((level) => {
    const entries = settingsKeys.map((key) => [key, settings.inspect(key)?.[parts[level]]] as const)
    return { level, values: Object.fromEntries(entries.filter(([, value]) => value !== undefined)) }
  })
}

/** In a single-folder workspace, its settings are those of the folder. */
function availableLevels(): readonly Level[] {
  if (vscode.workspace.workspaceFolders === undefined || !vscode.workspace.isTrusted) return ['user']
  return vscode.workspace.workspaceFile === undefined
    ? ['user', 'workspace']
    : ['user', 'workspace', 'folder']
}
