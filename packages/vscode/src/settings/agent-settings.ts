import type { EditorSettings } from '@cadre/agents'
import * as vscode from 'vscode'

/** The agents in the settings of VS Code. */
export interface AgentSettings extends vscode.Disposable {
  /** The settings that apply to a folder, as the runtime takes them. */
  of(folder: vscode.Uri | undefined): EditorSettings
  /** Fires when a setting of the agents has changed, at any level. */
  readonly onDidChange: vscode.Event<void>
}

export const section = 'copilotMultiAgent'

export function createAgentSettings(): AgentSettings {
  const changed = new vscode.EventEmitter<void>()
  const watch = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) changed.fire()
  })
  return {
    of(folder) {
      const settings = vscode.workspace.getConfiguration(section, folder)
      const value = {
        [`${section}.entryAgent`]: settings.get('entryAgent'),
        [`${section}.agents`]: settings.get('agents'),
      }
      return { path: 'VS Code settings', text: JSON.stringify(value) }
    },
    onDidChange: changed.event,
    dispose() {
      watch.dispose()
      changed.dispose()
    },
  }
}
