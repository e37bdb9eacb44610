import type { Configuration, Level } from '@cadre/settings-page'
import * as vscode from 'vscode'
import { currentFolder } from '../folder.ts'
import { askInDialog, showError, showInfo, showWarning } from '../messages.ts'
import type { Services } from '../services.ts'
import { availableTools } from './available-tools.ts'
import { configurationOf } from './configuration.ts'
import { findAgents } from './found-agents.ts'
import { definesAgents, effectiveLevel } from './levels.ts'
import { labelOf } from './page-data.ts'
import { type MissingTool, missingTools } from './tool-choices.ts'
import { exportedFiles, exportedText, type ImportedAgents, importFiles, toConfiguration } from './transfer.ts'
import type { Validation } from './validation.ts'

/** Removes the agents of a level from the settings, after a confirmation. */
export async function resetLevel({ settings }: Services, level: Level): Promise<void> {
  const folder = currentFolder()?.uri
  const levels = settings.levels(folder)
  const own = levels.find((one) => one.level === level)
  const configuration = own && (await configurationOf(own))
  if (own === undefined || Object.keys(own.values).length === 0) {
    void showInfo(`There are no agents in the settings of "${labelOf(level)}".`)
    return
  }
  const names = configuration?.agents.map(({ name }) => name) ?? []
  const next = effectiveLevel(levels.filter((one) => one !== own))
  const then =
    next === undefined
      ? 'Cadre then uses agent files, or the built-in team if there are none.'
      : `Cadre then uses the agents in "${labelOf(next.level)}".`
  const lost =
    names.length === 0
      ? 'the entry agent'
      : `${names.length === 1 ? '1 agent' : `${names.length} agents`}: ${names.join(', ')}`
  const answer = await askInDialog(
    `Reset the agents in "${labelOf(level)}"?`,
    `This removes ${lost}. ${then} It cannot be undone. Export them first to keep a copy.`,
    'Reset',
  )
  if (answer === 'Reset') await settings.write(folder, level, undefined)
}

/** Resets one level; asks which if several define agents. */
export async function resetConfiguration(services: Services): Promise<void> {
  const levels = services.settings
    .levels(currentFolder()?.uri)
    .filter(({ values }) => Object.keys(values).length > 0)
  const [only] = levels
  if (only === undefined) {
    void showInfo('No agents are set. There is nothing to reset.')
    return
  }
  const chosen =
    levels.length === 1
      ? only.level
      : (
          await vscode.window.showQuickPick(
            levels.map(({ level }) => ({ label: labelOf(level), level })),
            { title: 'Which agents do you want to reset?' },
          )
        )?.level
  if (chosen !== undefined) await resetLevel(services, chosen)
}

export async function validateConfiguration(validation: Validation): Promise<void> {
  const { problems, old } = await validation.run()
  const [first, ...others] = problems
  if (first === undefined) {
    void showInfo('The agent settings are valid.')
    return
  }
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const count = `${counted(errors, 'error')} and ${counted(problems.length - errors, 'warning')}`
  const more = others.length === 0 ? '' : ` And ${others.length} more.`
  const show = errors > 0 ? showError : showWarning
  const buttons = ['Show Problems', 'Open Settings', ...(old.length > 0 ? ['Update Settings'] : [])]
  const chosen = await show(`Agent settings: ${count}. ${first.message}${more}`, ...buttons)
  if (chosen === 'Show Problems') await vscode.commands.executeCommand('workbench.actions.view.problems')
  if (chosen === 'Open Settings') await vscode.commands.executeCommand('copilotMultiAgent.openSettings')
  if (chosen === 'Update Settings') await validation.migrate()
}

/** Reads VS Code's tools again, and reports tools that agents name but that are missing. */
export async function refreshTools(services: Services): Promise<void> {
  const [{ builtIn, editor, all }, { agents }] = await Promise.all([
    availableTools(services),
    findAgents(services),
  ])
  const missing = await missingTools(agents, all)
  const found = `${counted(builtIn.length, 'built-in tool')} and ${counted(editor.length, 'tool')} from VS Code and its extensions.`
  if (missing.length === 0) void showInfo(`Agents can use ${found}`)
  else void showWarning(`Agents can use ${found} Not available: ${missing.map(missingText).join('; ')}.`)
}

function missingText({ agent, tool }: MissingTool): string {
  return `${tool} (named by ${agent})`
}

/** Reads agents from files that a person chooses. */
export async function pickImport(
  given: unknown,
): Promise<{ taken: ImportedAgents; from: string } | undefined> {
  const named = given instanceof vscode.Uri ? [given] : undefined
  const files =
    named ??
    (await vscode.window.showOpenDialog({
      title: 'Import agents',
      openLabel: 'Import',
      canSelectMany: true,
      filters: { 'Agents (exported settings or agent files)': ['json', 'jsonc', 'md', 'yaml', 'yml'] },
    }))
  if (files === undefined || files.length === 0) return undefined
  const texts = await Promise.all(
    files.map(async (uri) => ({
      path: uri.fsPath,
      text: new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)),
    })),
  )
  return {
    taken: await importFiles(texts),
    from: files.map((uri) => vscode.workspace.asRelativePath(uri)).join(', '),
  }
}

/** The agents in use, from any source. */
async function effectiveAgents(services: Services): Promise<Configuration> {
  const used = services.settings.levels(currentFolder()?.uri).findLast(definesAgents)
  const configured = used && (await configurationOf(used))
  if (configured !== undefined) return configured
  const { agents, entry } = await findAgents(services)
  return toConfiguration(agents, entry)
}

/** Writes agents to a file or folder that a person chooses. `given` is such a file or folder. */
export async function exportTo(
  configuration: Configuration,
  to: 'json' | 'files',
  given?: vscode.Uri,
): Promise<void> {
  if (to === 'json') return exportJson(configuration, given)
  return exportAsFiles(configuration, given)
}

async function exportJson(configuration: Configuration, given: vscode.Uri | undefined): Promise<void> {
  const folder = currentFolder()?.uri
  const target =
    given ??
    (await vscode.window.showSaveDialog({
      title: 'Export agents',
      saveLabel: 'Export',
      filters: { JSON: ['json'] },
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, 'agents.json') }),
    }))
  if (target === undefined || (given !== undefined && !(await confirmReplace(given)))) return
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(exportedText(configuration)))
  const count = counted(configuration.agents.length, 'agent')
  void showInfo(`Exported ${count} to ${vscode.workspace.asRelativePath(target)}.`)
}

/** A file dialog asks this itself. */
async function confirmReplace(target: vscode.Uri): Promise<boolean> {
  const isThere = await vscode.workspace.fs.stat(target).then(
    () => true,
    () => false,
  )
  if (!isThere) return true
  const detail = vscode.workspace.asRelativePath(target)
  return (await askInDialog('Replace this file?', detail, 'Replace')) === 'Replace'
}

async function exportAsFiles(configuration: Configuration, given: vscode.Uri | undefined): Promise<void> {
  const folder = currentFolder()?.uri
  const target =
    given ??
    (
      await vscode.window.showOpenDialog({
        title: "Export agent files into this folder's .github/agents",
        openLabel: 'Export',
        canSelectFiles: false,
        canSelectFolders: true,
        ...(folder && { defaultUri: folder }),
      })
    )?.[0]
  if (target === undefined) return
  const { placeFiles } = await import('@cadre/agents')
  const { files, notes } = await exportedFiles(configuration)
  const place = (force: boolean) => placeFiles({ folder: target.fsPath, files, force })
  let placed = place(false)
  if (placed.kind === 'refused' && placed.faults.every(({ isTaken }) => isTaken === true)) {
    const detail = placed.faults.map(({ path }) => path).join('\n')
    const answer = await askInDialog('Replace these files?', detail, 'Replace')
    if (answer !== 'Replace') return
    placed = place(true)
  }
  if (placed.kind === 'refused')
    throw new Error(placed.faults.map(({ path, reason }) => `${path}: ${reason}`).join(' '))
  const said = notes.length === 0 ? '' : ` ${notes.slice(0, 3).join(' ')}`
  const count = counted(placed.files.length, 'agent file')
  void showInfo(`Exported ${count} to ${vscode.workspace.asRelativePath(target)}.${said}`)
}

export async function exportAgents(services: Services, given: unknown): Promise<void> {
  const configuration = await effectiveAgents(services)
  if (given instanceof vscode.Uri)
    return exportTo(configuration, given.path.endsWith('.json') ? 'json' : 'files', given)
  const chosen = await vscode.window.showQuickPick(
    [
      {
        label: 'One JSON file',
        detail: 'To import them in another workspace or on another machine',
        to: 'json' as const,
      },
      {
        label: 'Agent files',
        detail: 'One .agent.md file per agent, in .github/agents, which other programs read too',
        to: 'files' as const,
      },
    ],
    { title: `Export ${counted(configuration.agents.length, 'agent')}` },
  )
  if (chosen !== undefined) await exportTo(configuration, chosen.to)
}

export async function openSettingsJson(level: Level): Promise<void> {
  const command = {
    user: 'workbench.action.openSettingsJson',
    workspace: 'workbench.action.openWorkspaceSettingsFile',
    folder: 'workbench.action.openFolderSettingsFile',
  }[level]
  await vscode.commands.executeCommand(command, {
    revealSetting: { key: 'copilotMultiAgent.agents', edit: false },
  })
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
