import { randomBytes } from 'node:crypto'
import type { Agent, Draft, FromPage, ToPage } from '@cadre/settings-page'
import * as vscode from 'vscode'
import { currentFolder } from '../folder.ts'
import type { Services } from '../services.ts'
import { problemsOf } from './configuration.ts'
import { settingsText } from './levels.ts'
import { loadPageData, type PageData, settingsHash } from './page-data.ts'
import { createPageMessages } from './page-messages.ts'
import { panelType } from './panel-type.ts'
import { createPreview } from './preview.ts'
import { readMessage } from './read-message.ts'
import { runOrReport } from './run-or-report.ts'
import { exportTo, openSettingsJson, pickImport, refreshTools, resetLevel } from './settings-actions.ts'
import { missingTools } from './tool-choices.ts'
import { type ImportedAgents, importFiles, importTeam } from './transfer.ts'

export interface SettingsPanel extends vscode.Disposable {
  open(): void
  /** Shows the page in a panel that was open when VS Code was closed. */
  restore(opened: vscode.WebviewPanel): void
  /** Opens the page, and adds an agent to the edits. */
  newAgent(): void
  /** Opens the page, and adds agents from files to the edits. `given` is such a file. */
  importAgents(given?: unknown): Promise<void>
}

/**
 * The settings page. Edits are also kept here, so that closing the page loses nothing. Messages of the page are validated:
 * only well-formed agents are written, and only listed files are opened.
 */
export function createSettingsPanel(context: vscode.ExtensionContext, services: Services): SettingsPanel {
  let panel: vscode.WebviewPanel | undefined
  /** The page is notified of its own change together with the save confirmation. */
  let isSaving = false
  let data: Promise<PageData> | undefined
  let draft: Draft | undefined
  const outbox = createPageMessages()
  const { send } = outbox
  const sendState = (kept?: Draft) =>
    runOrReport(services, 'The agents could not be read', async () => {
      data = loadPageData(services)
      const { state } = await data
      send({ type: 'state', state, ...(kept && { draft: kept }) })
    })
  const show = (opened: vscode.WebviewPanel) => {
    panel = opened
    outbox.close()
    panel.iconPath = vscode.Uri.joinPath(context.extensionUri, 'media', 'agents.svg')
    panel.webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(context.extensionUri, 'out')],
    }
    panel.webview.onDidReceiveMessage((value) => {
      const message = readMessage(value)
      if (message === undefined) services.log.warn('The settings page sent an invalid message.')
      else void runOrReport(services, 'Agent settings', () => receive(message, opened))
    })
    panel.onDidDispose(() => {
      if (panel !== opened) return
      panel = undefined
      outbox.close()
    })
    panel.webview.html = pageHtml(panel.webview, context.extensionUri)
  }
  const open = () => {
    if (panel !== undefined) panel.reveal()
    else show(vscode.window.createWebviewPanel(panelType, 'Agent Settings', vscode.ViewColumn.Active))
  }

  const receive = async (message: FromPage, from: vscode.WebviewPanel): Promise<void> => {
    const { settings } = services
    const folder = currentFolder()?.uri
    switch (message.type) {
      case 'ready':
        if (from !== panel) return
        outbox.ready((ready) => void from.webview.postMessage(ready))
        await sendState(draft)
        return outbox.deliver()
      case 'check':
        return send(await check(message))
      case 'keep':
        draft = message.draft
        if (panel !== undefined) panel.title = draft === undefined ? 'Agent Settings' : '● Agent Settings'
        return
      case 'save': {
        const { level, configuration, stamp } = message.draft
        const problems = await problemsOf(configuration)
        if (problems.some(({ prevents }) => prevents)) return send({ type: 'refused', problems })
        const now = settings.levels(folder).find((one) => one.level === level)
        if (now === undefined)
          throw new Error(`There are no ${level} settings here. Open a folder, or trust this workspace.`)
        if (settingsHash(now) !== stamp && !message.overwrite) return send({ type: 'conflict' })
        isSaving = true
        try {
          await settings.write(folder, level, configuration)
        } finally {
          isSaving = false
        }
        draft = undefined
        data = loadPageData(services)
        return send({ type: 'saved', state: (await data).state })
      }
      case 'reset':
        return resetLevel(services, message.level)
      case 'import':
        return importAgents()
      case 'export':
        return exportTo(message.configuration, message.to)
      case 'openJson':
        return openSettingsJson(message.level)
      case 'refreshTools':
        await refreshTools(services)
        await sendState()
        return
      case 'template':
        return sendAgents(await importTeam(message.id), `the team ${message.id}`)
      case 'copyFile': {
        const text = await vscode.workspace.fs.readFile(listedFile(await data, message.id))
        return sendAgents(
          await importFiles([{ path: message.id, text: new TextDecoder().decode(text) }]),
          vscode.workspace.asRelativePath(message.id),
        )
      }
      case 'openFile':
        await vscode.window.showTextDocument(listedFile(await data, message.id))
        return
    }
  }
  const sendAgents = ({ agents, entry, notes }: ImportedAgents, from: string) => {
    if (agents.length > 0) send({ type: 'agents', agents, from, ...(entry !== undefined && { entry }) })
    const said = agents.length === 0 && notes.length === 0 ? [`There are no agents in ${from}.`] : notes
    if (said.length > 0)
      send({ type: 'message', isError: agents.length === 0, text: said.slice(0, 5).join(' ') })
  }
  const importAgents = async (given?: unknown) => {
    const chosen = await pickImport(given)
    if (chosen === undefined) return
    open()
    sendAgents(chosen.taken, chosen.from)
  }
  const check = async ({ id, configuration, selected }: FromPage & { type: 'check' }): Promise<ToPage> => {
    data ??= loadPageData(services)
    const { tools, others } = await data
    const [problems, preview, missing] = await Promise.all([
      problemsOf(configuration),
      createPreview({ configuration, selected, tools, others }),
      missingIn(configuration.agents, tools),
    ])
    return { type: 'checked', id, problems: [...problems, ...missing], ...(preview && { preview }) }
  }

  const subscriptions = vscode.Disposable.from(
    services.settings.onDidChange(() => {
      if (panel !== undefined && !isSaving) void sendState()
    }),
    // The page suggests models, and those of an extension come and go.
    vscode.lm.onDidChangeChatModels(() => {
      if (panel !== undefined && !isSaving) void sendState()
    }),
    { dispose: () => panel?.dispose() },
  )
  return {
    open,
    restore: show,
    newAgent() {
      open()
      send({ type: 'newAgent' })
    },
    importAgents,
    dispose: () => subscriptions.dispose(),
  }
}

/** Only files that were shown on the page can be opened. */
function listedFile(data: PageData | undefined, id: string): vscode.Uri {
  if (!data?.files.has(id)) throw new Error('This file is not among the agent files.')
  return vscode.Uri.file(id)
}

async function missingIn(agents: readonly Agent[], tools: PageData['tools']) {
  const { readSettingsAgents } = await import('@cadre/agents')
  const read = readSettingsAgents({ path: 'settings', text: settingsText({ agents }) })
  const missing = await missingTools(
    read.agents.map(({ agent }) => agent),
    tools,
  )
  return missing.flatMap(({ agent, tool }) => {
    const index = agents.findIndex(({ name }) => name === agent)
    const at = agents[index]?.toolPermissions.tools?.indexOf(tool) ?? -1
    if (at < 0) return []
    const path = `agents[${index}].toolPermissions.tools[${at}]`
    return [{ path, message: `The tool "${tool}" is not available.`, prevents: false }]
  })
}

function pageHtml(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64url')
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extension, 'out', name))
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Agent Settings</title>
<link rel="stylesheet" href="${file('settings-page.css')}">
</head>
<body><script nonce="${nonce}" src="${file('settings-page.js')}"></script></body>
</html>`
}
