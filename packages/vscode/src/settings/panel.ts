import { randomBytes } from 'node:crypto'
import type { Agent, Draft, FromPage, Level, ToPage } from '@cadre/settings-page'
import * as vscode from 'vscode'
import { currentFolder } from '../folder.ts'
import type { Services } from '../services.ts'
import { attempt } from './attempt.ts'
import { problemsOf } from './configuration.ts'
import { settingsText } from './levels.ts'
import { loadPageData, type PageData, stampOf } from './page-data.ts'
import { previewOf } from './preview.ts'
import { readMessage } from './read-message.ts'
import { missingTools } from './tool-choices.ts'
import { type TakenAgents, takeFiles, takeTeam } from './transfer.ts'

export const panelType = 'copilotMultiAgent.settings'

/** What the page can ask for, done by commands as well. */
export interface PageActions {
  reset(level: Level): Promise<void>
  import(): Promise<void>
  export(configuration: Draft['configuration'], to: 'json' | 'files'): Promise<void>
  openJson(level: Level): Promise<void>
  refreshTools(): Promise<void>
}

export interface SettingsPanel extends vscode.Disposable {
  open(): void
  /** Opens the page, and adds an agent to what is being edited. */
  newAgent(): void
  /** Opens the page, and adds agents to what is being edited. */
  add(taken: TakenAgents, from: string): void
}

/**
 * The settings page. What is edited in it is kept here as well, so that closing the page loses nothing. Messages of the page are
 * checked: whatever it sends, only agents in their form are written, and only files that were listed are opened.
 */
export function createSettingsPanel(
  context: vscode.ExtensionContext,
  services: Services,
  actions: PageActions,
): SettingsPanel {
  let panel: vscode.WebviewPanel | undefined
  let isReady = false
  /** The page learns of its own change together with the news that it is saved. */
  let isSaving = false
  let data: Promise<PageData> | undefined
  let draft: Draft | undefined
  const waiting: ToPage[] = []

  const send = (message: ToPage) => {
    if (panel !== undefined && isReady) void panel.webview.postMessage(message)
    else waiting.push(message)
  }
  const sendState = (kept?: Draft) =>
    attempt(services, 'The agents could not be read', async () => {
      data = loadPageData(services)
      const { state } = await data
      send({ type: 'state', state, ...(kept && { draft: kept }) })
    })
  const show = (opened: vscode.WebviewPanel) => {
    panel = opened
    isReady = false
    panel.iconPath = vscode.Uri.joinPath(context.extensionUri, 'media', 'agents.svg')
    panel.webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(context.extensionUri, 'out')],
    }
    panel.webview.onDidReceiveMessage((value) => {
      const message = readMessage(value)
      if (message === undefined)
        services.log.warn('The settings page sent something that was not understood.')
      else void attempt(services, 'Agent settings', () => receive(message))
    })
    panel.onDidDispose(() => {
      if (panel === opened) panel = undefined
      isReady = false
    })
    panel.webview.html = pageHtml(panel.webview, context.extensionUri)
  }
  const open = () => {
    if (panel !== undefined) panel.reveal()
    else show(vscode.window.createWebviewPanel(panelType, 'Agent Settings', vscode.ViewColumn.Active))
  }

  const receive = async (message: FromPage): Promise<void> => {
    const { settings } = services
    const folder = currentFolder()?.uri
    switch (message.type) {
      case 'ready':
        isReady = true
        await sendState(draft)
        for (const late of waiting.splice(0)) send(late)
        return
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
        if (stampOf(now) !== stamp && !message.overwrite) return send({ type: 'conflict' })
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
        return actions.reset(message.level)
      case 'import':
        return actions.import()
      case 'export':
        return actions.export(message.configuration, message.to)
      case 'openJson':
        return actions.openJson(message.level)
      case 'refreshTools':
        await actions.refreshTools()
        await sendState()
        return
      case 'template':
        return sendAgents(await takeTeam(message.id), `the team ${message.id}`)
      case 'copyFile': {
        const text = await vscode.workspace.fs.readFile(listedFile(await data, message.id))
        return sendAgents(
          await takeFiles([{ path: message.id, text: new TextDecoder().decode(text) }]),
          vscode.workspace.asRelativePath(message.id),
        )
      }
      case 'openFile':
        await vscode.window.showTextDocument(listedFile(await data, message.id))
        return
    }
  }
  const sendAgents = ({ agents, entry, notes }: TakenAgents, from: string) => {
    if (agents.length > 0) send({ type: 'agents', agents, from, ...(entry !== undefined && { entry }) })
    const said = agents.length === 0 && notes.length === 0 ? [`There are no agents in ${from}.`] : notes
    if (said.length > 0)
      send({ type: 'message', isError: agents.length === 0, text: said.slice(0, 5).join(' ') })
  }
  const check = async ({ id, configuration, selected }: FromPage & { type: 'check' }): Promise<ToPage> => {
    data ??= loadPageData(services)
    const { tools, others } = await data
    const [problems, preview, missing] = await Promise.all([
      problemsOf(configuration),
      previewOf({ configuration, selected, tools, others }),
      missingIn(configuration.agents, tools),
    ])
    return { type: 'checked', id, problems: [...problems, ...missing], ...(preview && { preview }) }
  }

  const subscriptions = vscode.Disposable.from(
    services.settings.onDidChange(() => {
      if (panel !== undefined && isReady && !isSaving) void sendState()
    }),
    // The page suggests models, and those of an extension come and go.
    vscode.lm.onDidChangeChatModels(() => {
      if (panel !== undefined && isReady && !isSaving) void sendState()
    }),
    vscode.window.registerWebviewPanelSerializer(panelType, {
      deserializeWebviewPanel: async (restored) => show(restored),
    }),
    { dispose: () => panel?.dispose() },
  )
  return {
    open,
    newAgent() {
      open()
      send({ type: 'newAgent' })
    },
    add(taken, from) {
      open()
      sendAgents(taken, from)
    },
    dispose: () => subscriptions.dispose(),
  }
}

/** Only what the page was shown can be opened. */
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
