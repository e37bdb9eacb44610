import * as vscode from 'vscode'
import { currentFolder } from '../folder.ts'
import { showWarning } from '../messages.ts'
import type { Services } from '../services.ts'
import type { SettingsCheck } from './agent-settings.ts'
import type { SettingsProblem } from './check-settings.ts'
import { digestOf } from './digest-of.ts'
import { runOrReport } from './run-or-report.ts'

export interface Validation extends vscode.Disposable {
  /** Checks all levels now, and shows the problems in the Problems panel. */
  run(): Promise<SettingsCheck>
  /** Converts levels with an older format to the current one. */
  migrate(): Promise<void>
}

const shownKey = 'shownSettingsProblems'

/** Checks the settings when they change, and notifies once about the same problems. */
export function createValidation(context: vscode.ExtensionContext, services: Services): Validation {
  const { settings, log } = services
  const diagnostics = vscode.languages.createDiagnosticCollection('copilotMultiAgent.settings')
  let turn = 0

  const run = async () => {
    const mine = ++turn
    const checked = await settings.check(currentFolder()?.uri)
    if (mine === turn) showProblems(diagnostics, checked)
    return checked
  }
  const migrate = async () => {
    const folder = currentFolder()?.uri
    const { configurationOf } = await import('./configuration.ts')
    const { old } = await settings.check(folder)
    for (const level of settings.levels(folder).filter((one) => old.includes(one.level)))
      await settings.write(folder, level.level, await configurationOf(level))
  }
  const notify = async ({ problems, old }: SettingsCheck) => {
    const digest = digestOf(problems)
    if (context.workspaceState.get(shownKey, '') === digest) return
    await context.workspaceState.update(shownKey, digest)
    const [first, ...others] = problems
    if (first === undefined) return
    for (const { level, message } of problems) log.warn(`${level} settings: ${message}`)
    const more = others.length === 0 ? '' : ` ${others.length} more: see the Problems panel.`
    const buttons = ['Open Settings', ...(old.length > 0 ? ['Update Settings'] : [])]
    const chosen = await showWarning(`Agent settings: ${first.message}${more}`, ...buttons)
    if (chosen === 'Open Settings') await vscode.commands.executeCommand('copilotMultiAgent.openSettings')
    if (chosen === 'Update Settings') await migrate()
  }
  const validate = () =>
    void runOrReport(services, 'Agent settings could not be checked', async () => {
      const checked = await run()
      // Not awaited, because a notification stays until it is closed.
      void runOrReport(services, 'Agent settings could not be changed', () => notify(checked))
    })
  const files = vscode.workspace.createFileSystemWatcher('**/.vscode/settings.json')
  const subscriptions = vscode.Disposable.from(
    diagnostics,
    files,
    settings.onDidChange(validate),
    files.onDidChange(validate),
    // Lines move with every edit of the file, even if no setting changes.
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (/\/settings\.json$|\.code-workspace$/.test(uri.path)) validate()
    }),
  )
  validate()
  return { run, migrate, dispose: () => subscriptions.dispose() }
}

function showProblems(collection: vscode.DiagnosticCollection, { problems, files }: SettingsCheck): void {
  collection.clear()
  for (const [level, uri] of files) {
    const own = problems.filter((problem) => problem.level === level)
    if (own.length > 0) collection.set(uri, own.map(diagnosticOf))
  }
}

function diagnosticOf({ line = 1, message, fix, severity, code }: SettingsProblem): vscode.Diagnostic {
  const range = new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER)
  const kind = severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning
  const diagnostic = new vscode.Diagnostic(range, fix === undefined ? message : `${message} ${fix}`, kind)
  diagnostic.source = 'Copilot Multi-Agent'
  diagnostic.code = code
  return diagnostic
}
