import * as vscode from 'vscode'
import type { Services } from '../services.ts'
import type { SettingsPanel } from './panel.ts'
import { panelType } from './panel-type.ts'
import { runOrReport } from './run-or-report.ts'
import { createStatusDocument } from './status-document.ts'
import { createValidation } from './validation.ts'

/** The settings page, validation, and the settings commands. The page and the commands are loaded on first use. */
export function registerSettings(context: vscode.ExtensionContext, services: Services): vscode.Disposable {
  const validation = createValidation(context, services)
  const status = createStatusDocument(services)
  let loading: Promise<SettingsPanel> | undefined
  const loadPanel = () => {
    loading ??= import('./panel.ts').then(({ createSettingsPanel }) => createSettingsPanel(context, services))
    return loading
  }
  const loadCommands = () => import('./settings-actions.ts')
  const command = (name: string, what: string, work: (argument?: unknown) => unknown) =>
    vscode.commands.registerCommand(`copilotMultiAgent.${name}`, (argument?: unknown) =>
      runOrReport(services, what, () => work(argument)),
    )
  return vscode.Disposable.from(
    validation,
    status,
    { dispose: () => void loading?.then((panel) => panel.dispose()) },
    vscode.window.registerWebviewPanelSerializer(panelType, {
      deserializeWebviewPanel: async (opened) => (await loadPanel()).restore(opened),
    }),
    command('openSettings', 'The agent settings could not be opened', async () => (await loadPanel()).open()),
    command('newAgent', 'The agent could not be added', async () => (await loadPanel()).newAgent()),
    command('resetConfiguration', 'The agents could not be reset', async () =>
      (await loadCommands()).resetConfiguration(services),
    ),
    command('validateConfiguration', 'The agent settings could not be checked', async () =>
      (await loadCommands()).validateConfiguration(validation),
    ),
    command('showStatus', 'The status could not be shown', () => status.show()),
    command('refreshTools', 'The tools could not be read', async () =>
      (await loadCommands()).refreshTools(services),
    ),
    command('importAgents', 'The agents could not be imported', async (given) =>
      (await loadPanel()).importAgents(given),
    ),
    command('exportAgents', 'The agents could not be exported', async (given) =>
      (await loadCommands()).exportAgents(services, given),
    ),
  )
}
