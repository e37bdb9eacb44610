import * as vscode from 'vscode'
import type { Services } from '../services.ts'
import { attempt } from './attempt.ts'
import {
  chooseImport,
  exportAgents,
  exportTo,
  openSettingsJson,
  refreshTools,
  resetConfiguration,
  resetLevel,
  validateConfiguration,
} from './commands.ts'
import { createSettingsPanel } from './panel.ts'
import { createStatus } from './status.ts'
import { createValidation } from './validation.ts'

/** The settings page, validation, and the commands about settings. */
export function registerSettings(context: vscode.ExtensionContext, services: Services): vscode.Disposable {
  const validation = createValidation(context, services)
  const status = createStatus(services)
  const importFiles = async (given?: unknown) => {
    const chosen = await chooseImport(given)
    if (chosen !== undefined) panel.add(chosen.taken, chosen.from)
  }
  const panel = createSettingsPanel(context, services, {
    reset: (level) => resetLevel(services, level),
    import: importFiles,
    export: exportTo,
    openJson: openSettingsJson,
    refreshTools: () => refreshTools(services),
  })
  const command = (name: string, what: string, work: (argument?: unknown) => unknown) =>
    vscode.commands.registerCommand(`copilotMultiAgent.${name}`, (argument?: unknown) =>
      attempt(services, what, () => work(argument)),
    )
  return vscode.Disposable.from(
    validation,
    status,
    panel,
    command('openSettings', 'The agent settings could not be opened', () => panel.open()),
    command('newAgent', 'The agent could not be added', () => panel.newAgent()),
    command('resetConfiguration', 'The agents could not be reset', () => resetConfiguration(services)),
    command('validateConfiguration', 'The agent settings could not be checked', () =>
      validateConfiguration(validation),
    ),
    command('showStatus', 'The status could not be shown', () => status.show()),
    command('refreshTools', 'The tools could not be read', () => refreshTools(services)),
    command('importAgents', 'The agents could not be imported', importFiles),
    command('exportAgents', 'The agents could not be exported', (argument) =>
      exportAgents(services, argument),
    ),
  )
}
