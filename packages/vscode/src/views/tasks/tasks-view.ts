import type { TaskState } from '@cadre/tasks'
import * as vscode from 'vscode'
import { currentFolder } from '../../folder.ts'
import type { WorkspaceHome } from '../../home/homes.ts'
import { throttle } from '../../home/throttle.ts'
import { registerCommand, reportError } from '../../register-command.ts'
import type { Services } from '../../services.ts'
import type { Tasks } from './open-tasks.ts'
import {
  type DisplayState,
  fileDescription,
  stateLabels,
  type TaskFileNode,
  type TaskGroup,
  type TaskNode,
  taskDescription,
} from './task-tree.ts'

interface HomeNode {
  readonly kind: 'home'
  readonly name: string
  readonly files: readonly Node[]
}
type Node = { readonly home: string } & (HomeNode | TaskFileNode | TaskGroup | TaskNode)

const icons: Readonly<Record<DisplayState, readonly [icon: string, color?: string]>> = {
  running: ['loading~spin'],
  open: ['circle-large-outline'],
  waiting: ['clock'],
  failed: ['error', 'charts.red'],
  done: ['pass', 'charts.green'],
  skipped: ['circle-slash'],
}

/** The tasks of the homes, by file and state. Reads nothing until it is visible. */
export function createTasksView(
  services: Services,
  untrusted: (folders: number) => void,
): vscode.Disposable & { refresh(): void } {
  const { homes, log } = services
  const changed = new vscode.EventEmitter<Node | undefined>()
  const opened = new Map<string, Tasks>()
  let isStale = true

  const tasksIn = async ({ home }: WorkspaceHome): Promise<Tasks> => {
    const { openTasks } = await import('./open-tasks.ts')
    const tasks = opened.get(home.path) ?? openTasks(home)
    opened.set(home.path, tasks)
    return tasks
  }
  const top = async (): Promise<Node[]> => {
    isStale = false
    const found: (HomeNode & { home: string })[] = []
    const all = await homes.list()
    untrusted(all.untrusted.length)
    for (const here of all.trusted) {
      const home = here.home.path
      const files = (await tasksIn(here)).read().map((file) => ({ ...file, home }))
      found.push({ kind: 'home', home, name: here.folder.name, files })
    }
    const [only, second] = found
    return second === undefined ? [...(only?.files ?? [])] : found
  }
  const view = vscode.window.createTreeView<Node>('copilotMultiAgent.tasks', {
    showCollapseAll: true,
    manageCheckboxStateManually: true,
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      async getChildren(node) {
        try {
          return node === undefined ? await top() : childrenOf(node)
        } catch (error) {
          log.error(error instanceof Error ? error : String(error))
          return []
        }
      },
      getTreeItem: treeItemOf,
    },
  })
  const refresh = throttle(
    () => {
      if (view.visible) changed.fire(undefined)
      else isStale = true
    },
    { pause: 300, log },
  )
  const setState = async (node: Node & TaskNode, state: TaskState): Promise<void> => {
    const tasks = opened.get(node.home)
    if (tasks === undefined) return
    try {
      rejectUnsaved(tasks.pathOf(node.file))
      await tasks.setState(node.file, node.task, state)
    } finally {
      // Even if nothing changed, so that the checkbox shows the file's state.
      changed.fire(undefined)
    }
  }
  const subscriptions = [
    view,
    changed,
    homes.onDidChange(refresh.soon),
    view.onDidChangeVisibility(({ visible }) => {
      if (visible && isStale) changed.fire(undefined)
    }),
    view.onDidChangeCheckboxState(async ({ items }) => {
      for (const [node, box] of items) {
        if (node.kind !== 'task') continue
        const isDone = box === vscode.TreeItemCheckboxState.Checked
        await setState(node, isDone ? 'done' : 'open').catch((error) => reportError(log, error))
      }
    }),
    registerCommand(log, 'openTask', async (argument) => {
      const node = taskOf(argument, opened)
      if (node !== undefined) await openAt(node.tasks.pathOf(node.file), node.task.line)
    }),
    registerCommand(log, 'setTaskState', async (argument) => {
      const node = taskOf(argument, opened)
      const state = node && (await pickState(node.task.state))
      if (node !== undefined && state !== undefined) await setState(node, state)
    }),
    registerCommand(log, 'newTask', () => newTask(services, tasksIn)),
  ]
  return {
    refresh: refresh.soon,
    dispose() {
      refresh.dispose()
      for (const subscription of subscriptions) subscription.dispose()
    },
  }
}

function childrenOf(node: Node): Node[] {
  const { home } = node
  if (node.kind === 'home') return [...node.files]
  const below = node.kind === 'file' ? node.groups : node.kind === 'group' ? node.tasks : node.children
  return below.map((one) => ({ ...one, home }))
}

function treeItemOf(node: Node): vscode.TreeItem {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState
  if (node.kind === 'home') {
    const item = new vscode.TreeItem(node.name, Expanded)
    item.iconPath = vscode.ThemeIcon.Folder
    return item
  }
  if (node.kind === 'file') {
    const item = new vscode.TreeItem(node.file.replace(/\.task\.md$/, ''), Expanded)
    item.id = `${node.home} ${node.file}`
    item.description = fileDescription(node)
    item.iconPath = new vscode.ThemeIcon('tasklist')
    return item
  }
  if (node.kind === 'group') {
    const isSettled = node.state === 'done' || node.state === 'skipped'
    const item = new vscode.TreeItem(stateLabels[node.state], isSettled ? Collapsed : Expanded)
    item.id = `${node.home} ${node.file} ${node.state}`
    item.description = String(node.tasks.length)
    return item
  }
  const item = new vscode.TreeItem(node.title || '(no title)', node.children.length > 0 ? Expanded : None)
  const [icon, color] = icons[node.state]
  const { task } = node
  item.description = taskDescription(node)
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color))
  item.contextValue = 'task'
  item.tooltip = `${node.title}\n${stateLabels[node.state]}${task.id === undefined ? '' : ` · ${task.id}`} · line ${task.line}`
  // A running or failed task has no checkbox, to avoid accidental changes.
  if (task.state === 'open' || task.state === 'done')
    item.checkboxState =
      task.state === 'done' ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked
  item.command = { command: 'copilotMultiAgent.openTask', title: 'Open Task', arguments: [node] }
  return item
}

/** A task that the view has read; `undefined` for anything else. */
function taskOf(
  argument: unknown,
  opened: ReadonlyMap<string, Tasks>,
): (Node & TaskNode & { readonly tasks: Tasks }) | undefined {
  const node = argument as Partial<Node & TaskNode> | null | undefined
  const tasks = opened.get(node?.home ?? '')
  if (tasks === undefined || node?.kind !== 'task') return undefined
  const { file, task } = node
  const isKnown = tasks.read().some((one) => one.file === file)
  return isKnown && Number.isInteger(task?.line) ? { ...(node as Node & TaskNode), tasks } : undefined
}

async function openAt(file: string, line: number): Promise<void> {
  const at = new vscode.Position(Math.max(0, line - 1), 0)
  await vscode.window.showTextDocument(vscode.Uri.file(file), {
    preview: true,
    selection: new vscode.Range(at, at),
  })
}

async function pickState(now: TaskState): Promise<TaskState | undefined> {
  const states: readonly TaskState[] = ['open', 'running', 'done', 'skipped', 'failed']
  const choice = await vscode.window.showQuickPick(
    states.filter((state) => state !== now).map((state) => ({ label: stateLabels[state], state })),
    { title: "Set the task's state" },
  )
  return choice?.state
}

/** Saving the editor afterwards would revert the change. */
function rejectUnsaved(file: string): void {
  const isOpen = vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.fsPath === file)
  if (isOpen) throw new Error('The task file has unsaved changes. Save it first.')
}

const ending = '.task.md'
const firstFile = `todo${ending}`

async function newTask(services: Services, tasksIn: (here: WorkspaceHome) => Promise<Tasks>): Promise<void> {
  if (!vscode.workspace.isTrusted)
    throw new Error('In Restricted Mode, tasks are read-only. Trust the workspace first.')
  const here = await homeForNewTask(services)
  if (here === undefined) return
  const tasks = await tasksIn(here)
  const file = await pickFile(tasks.read().map((one) => one.file))
  if (file === undefined) return
  const text = await vscode.window.showInputBox({
    title: `New task in ${file}`,
    prompt: 'Describe the task. Begin with @NAME to assign it to an agent.',
    placeHolder: '@executor-001 Check which port the service uses',
    validateInput: (value) => (value.trim() === '' ? 'Describe what needs to be done.' : undefined),
  })
  if (text === undefined) return
  rejectUnsaved(tasks.pathOf(file))
  await openAt(tasks.pathOf(file), await tasks.add(file, text))
}

/** The home of the current folder, created with its first task. */
async function homeForNewTask({ homes }: Services): Promise<WorkspaceHome | undefined> {
  const folder = currentFolder()
  if (folder === undefined) throw new Error('Open a folder first: tasks are kept in its .cadre folder.')
  const { requireTrustedHome } = await import('@cadre/runtime')
  return { folder, home: await requireTrustedHome(homes.environment(folder), {}) }
}

async function pickFile(files: readonly string[]): Promise<string | undefined> {
  const [first] = files
  if (files.length < 2) return first ?? firstFile
  return vscode.window.showQuickPick([...files], { title: 'Which task file?' })
}
