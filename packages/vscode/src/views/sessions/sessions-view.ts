import type { Home } from '@cadre/home'
import * as vscode from 'vscode'
import type { WorkspaceHome } from '../../home/homes.ts'
import { throttle } from '../../home/throttle.ts'
import { showInfo } from '../../messages.ts'
import { registerCommand } from '../../register-command.ts'
import type { Services } from '../../services.ts'
import { sessionOf } from '../targets.ts'
import type { LoadedSessions, SessionReader } from './read-sessions.ts'
import {
  sessionContext,
  sessionDescription,
  sessionIcons,
  sessionTooltip,
  stateLabel,
} from './session-item.ts'

type Node = HomeNode | SessionNode | MoreNode
interface HomeNode {
  readonly kind: 'home'
  readonly here: WorkspaceHome
}
interface SessionNode {
  readonly kind: 'session'
  readonly here: WorkspaceHome
  readonly session: string
}
interface MoreNode {
  readonly kind: 'more'
  readonly here: WorkspaceHome
  readonly hidden: number
}

/** The number of entry sessions shown initially, and added by each "Show more". */
const page = 200

/** The tree of sessions, running and past. Reads nothing until it is visible. */
export function createSessionsView(
  services: Services,
  untrusted: (folders: number) => void,
): vscode.Disposable & { refresh(): void } {
  const { homes, log, runs } = services
  const changed = new vscode.EventEmitter<Node | undefined>()
  const readers = new Map<string, SessionReader>()
  const read = new Map<string, LoadedSessions>()
  const shown = new Map<string, number>()
  let isStale = true

  const readerOf = async ({ home, folder }: WorkspaceHome): Promise<SessionReader> => {
    const { createSessionReader } = await import('./read-sessions.ts')
    const reader = readers.get(home.path) ?? createSessionReader({ home, open: () => homes.open(folder) })
    readers.set(home.path, reader)
    return reader
  }
  const rootsOf = (here: WorkspaceHome): Node[] => {
    const roots = read.get(here.home.path)?.forest.roots ?? []
    const count = shown.get(here.home.path) ?? page
    const nodes: Node[] = roots.slice(0, count).map((session) => ({ kind: 'session', here, session }))
    return roots.length <= count ? nodes : [...nodes, { kind: 'more', here, hidden: roots.length - count }]
  }
  const top = async (): Promise<Node[]> => {
    isStale = false
    const here = await homes.list()
    untrusted(here.untrusted.length)
    const [only, second] = here.trusted
    for (const one of here.trusted) read.set(one.home.path, await (await readerOf(one)).read())
    if (only === undefined) return []
    return second === undefined ? rootsOf(only) : here.trusted.map((one) => ({ kind: 'home', here: one }))
  }
  const provider: vscode.TreeDataProvider<Node> = {
    onDidChangeTreeData: changed.event,
    async getChildren(node) {
      try {
        if (node === undefined) return await top()
        if (node.kind === 'home') return rootsOf(node.here)
        if (node.kind === 'more') return []
        const { here } = node
        const children = read.get(here.home.path)?.forest.children.get(node.session) ?? []
        return children.map((session) => ({ kind: 'session', here, session }))
      } catch (error) {
        log.error(error instanceof Error ? error : String(error))
        return []
      }
    },
    getTreeItem: (node) => treeItemOf(node, read),
    async resolveTreeItem(item, node) {
      if (node.kind !== 'session') return item
      const session = read.get(node.here.home.path)?.item(node.session)
      if (session === undefined) return item
      item.tooltip = sessionTooltip(session, await detailOf(services, node).catch(() => undefined))
      return item
    },
  }
  const view = vscode.window.createTreeView('copilotMultiAgent.sessions', {
    treeDataProvider: provider,
    showCollapseAll: true,
  })
  const refresh = throttle(
    () => {
      if (view.visible) changed.fire(undefined)
      else isStale = true
    },
    { pause: 500, log },
  )
  const subscriptions = [
    view,
    changed,
    homes.onDidChange(refresh.soon),
    runs.onDidChange(refresh.soon),
    view.onDidChangeVisibility(({ visible }) => {
      if (visible && isStale) changed.fire(undefined)
    }),
    // Updates times, and processes that were killed.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) refresh.soon()
    }),
    registerCommand(log, 'showMoreSessions', (argument) => {
      const path = [...read.keys()].find((one) => one === argument)
      if (path === undefined) return
      shown.set(path, (shown.get(path) ?? page) + page)
      changed.fire(undefined)
    }),
    registerCommand(log, 'openSession', (argument) => openSession(services, argument)),
    registerCommand(log, 'cancelSession', (argument) => cancelSession(services, argument)),
    registerCommand(log, 'copySessionId', async (argument) => {
      const session = sessionOf(argument)
      if (session !== undefined) await vscode.env.clipboard.writeText(session)
    }),
  ]
  return {
    refresh: refresh.soon,
    dispose() {
      refresh.dispose()
      for (const subscription of subscriptions) subscription.dispose()
    },
  }
}

function treeItemOf(node: Node, read: ReadonlyMap<string, LoadedSessions>): vscode.TreeItem {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState
  if (node.kind === 'home') {
    const item = new vscode.TreeItem(node.here.folder.name, Expanded)
    item.iconPath = vscode.ThemeIcon.Folder
    item.id = node.here.home.path
    return item
  }
  if (node.kind === 'more') {
    const item = new vscode.TreeItem(`Show more (${node.hidden})`, None)
    item.command = {
      command: 'copilotMultiAgent.showMoreSessions',
      title: 'Show More',
      arguments: [node.here.home.path],
    }
    return item
  }
  const session = read.get(node.here.home.path)?.item(node.session)
  if (session === undefined) return new vscode.TreeItem(node.session, None)
  const item = new vscode.TreeItem(session.agent, session.hasChildren ? Collapsed : None)
  const description = sessionDescription(session, Date.now())
  const [icon, color] = sessionIcons[session.state]
  item.id = `${node.here.home.path} ${session.id}`
  item.description = description
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color))
  item.contextValue = sessionContext(session)
  item.accessibilityInformation = {
    label: `${session.agent}, ${stateLabel(session.state)}, ${description}`,
    role: 'treeitem',
  }
  item.command = { command: 'copilotMultiAgent.openSession', title: 'Open Session File', arguments: [node] }
  return item
}

async function detailOf({ homes }: Services, { here, session }: SessionNode) {
  const sessions = await homes.open(here.folder)
  if (sessions === undefined) return undefined
  try {
    const { detailOf } = await import('./read-sessions.ts')
    return detailOf(await sessions.read(session))
  } finally {
    await sessions.close()
  }
}

/** The home that contains this session. */
async function findHomeOf({ homes }: Services, session: string): Promise<WorkspaceHome | undefined> {
  for (const here of (await homes.list()).trusted) if (await exists(fileOf(here.home, session))) return here
  return undefined
}

function fileOf(home: Home, session: string): vscode.Uri {
  return vscode.Uri.file(home.at('sessions', `${session}.session.yaml`))
}

async function exists(file: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(file)
    return true
  } catch {
    return false
  }
}

async function openSession(services: Services, argument: unknown): Promise<void> {
  const session = sessionOf(argument)
  if (session === undefined) return
  const here = await findHomeOf(services, session)
  if (here === undefined) throw new Error(`There is no session ${session} in this workspace.`)
  await vscode.window.showTextDocument(fileOf(here.home, session), { preview: true })
}

async function cancelSession(services: Services, argument: unknown): Promise<void> {
  const session = sessionOf(argument)
  if (session === undefined || services.runs.cancel(session)) return
  const here = await findHomeOf(services, session)
  const sessions = here && (await services.homes.open(here.folder))
  if (sessions === undefined) throw new Error(`There is no session ${session} in this workspace.`)
  try {
    const { stopSession } = await import('./stop-session.ts')
    const stopped = await vscode.window.withProgress(
      { location: { viewId: 'copilotMultiAgent.sessions' } },
      () => stopSession(sessions, session),
    )
    if (stopped.kind === 'still') void showInfo('The session is no longer running.')
    if (stopped.kind === 'unanswered') {
      const kill = process.platform === 'win32' ? `taskkill /PID ${stopped.pid} /T` : `kill ${stopped.pid}`
      throw new Error(
        `Process ${stopped.pid} runs the session and has not answered within 10 seconds. Try again, or stop the whole run with: ${kill}`,
      )
    }
  } finally {
    await sessions.close()
  }
}
