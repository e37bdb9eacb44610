import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Home } from '@cadre/home'
import type { Environment, Sessions } from '@cadre/runtime'
import * as vscode from 'vscode'
import { nearestHome } from './nearest-home.ts'
import { throttle } from './throttle.ts'

/** The homes (`.cadre`) of the workspace folders: their contents and changes. */
export interface Homes extends vscode.Disposable {
  /** The environment of the runtime for a folder. */
  environment(folder: vscode.WorkspaceFolder): Environment
  /**
   * Opens the sessions and approvals of a folder's home; `undefined` if there is no home, or it is not trusted. Loads the
   * engine. The caller must close it.
   */
  open(folder: vscode.WorkspaceFolder): Promise<Sessions | undefined>
  /** Lists the homes, each once. Reads nothing in untrusted ones, and nothing at all in a restricted workspace. */
  list(): Promise<WorkspaceHomes>
  /** Opens one trusted home after the other, until `work` finds something. */
  find<Found>(
    work: (sessions: Sessions, folder: vscode.WorkspaceFolder) => Promise<Found | undefined>,
  ): Promise<Found | undefined>
  /** True if an approval seems to be pending in one of them: checks only file names, and loads nothing. */
  mayWait(): boolean
  /** Fires after a change in a home of the workspace, at most a few times a second. */
  readonly onDidChange: vscode.Event<void>
}

export interface WorkspaceHome {
  readonly folder: vscode.WorkspaceFolder
  readonly home: Home
}

export interface WorkspaceHomes {
  readonly trusted: readonly WorkspaceHome[]
  /** Folders with an untrusted home. */
  readonly untrusted: readonly vscode.WorkspaceFolder[]
}

/** The minimum time between two change events, in milliseconds. */
const pause = 300
const parts = ['sessions', 'tasks', 'approvals']

export function createHomes(log: vscode.LogOutputChannel): Homes {
  const changed = new vscode.EventEmitter<void>()
  const notice = throttle(() => changed.fire(), { pause, log })
  const environment = (folder: vscode.WorkspaceFolder): Environment => ({
    env: process.env,
    cwd: folder.uri.fsPath,
    warn: (message) => log.warn(message),
  })
  const watchers = createWatchers(notice.soon)
  const followFolders = () => {
    watchers.follow(workspaceFolders())
    notice.soon()
  }
  const subscriptions = [
    vscode.workspace.onDidChangeWorkspaceFolders(followFolders),
    vscode.workspace.onDidGrantWorkspaceTrust(followFolders),
  ]
  watchers.follow(workspaceFolders())

  /** Undefined if there is no home. Trust is checked each time, because a git pull can add files. */
  const look = async (folder: vscode.WorkspaceFolder): Promise<Home | 'untrusted' | undefined> => {
    if (!vscode.workspace.isTrusted || folder.uri.scheme !== 'file') return undefined
    const io = environment(folder)
    if (nearestHome(io.cwd, io.env) === undefined) return undefined
    const { homeOf, untrustedItems } = await import('@cadre/runtime')
    const home = homeOf(io, undefined)
    return (await untrustedItems(io, home)).length === 0 ? home : 'untrusted'
  }

  const open = async (folder: vscode.WorkspaceFolder): Promise<Sessions | undefined> => {
    const home = await look(folder)
    if (home === undefined || home === 'untrusted') return undefined
    const { openSessions } = await import('@cadre/runtime')
    return openSessions(environment(folder), home.path)
  }
  const list = async (): Promise<WorkspaceHomes> => {
    const folders = workspaceFolders()
    // A home above a folder may have been created since.
    watchers.follow(folders)
    const trusted: WorkspaceHome[] = []
    const untrusted: vscode.WorkspaceFolder[] = []
    for (const folder of folders) {
      const home = await look(folder)
      if (home === 'untrusted') untrusted.push(folder)
      else if (home !== undefined && !trusted.some((other) => other.home.path === home.path))
        trusted.push({ folder, home })
    }
    return { trusted, untrusted }
  }

  return {
    environment,
    open,
    list,
    async find(work) {
      for (const { folder } of (await list()).trusted) {
        const sessions = await open(folder)
        if (sessions === undefined) continue
        try {
          const found = await work(sessions, folder)
          if (found !== undefined) return found
        } finally {
          await sessions.close()
        }
      }
      return undefined
    },
    mayWait: () => workspaceFolders().some(({ uri }) => hasPending(nearestHome(uri.fsPath, process.env))),
    onDidChange: changed.event,
    dispose() {
      for (const subscription of subscriptions) subscription.dispose()
      watchers.dispose()
      notice.dispose()
      changed.dispose()
    },
  }
}

function workspaceFolders(): vscode.WorkspaceFolder[] {
  if (!vscode.workspace.isTrusted) return []
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file')
}

function hasPending(home: string | undefined): boolean {
  if (home === undefined) return false
  try {
    return readdirSync(path.join(home, 'approvals', 'pending')).some((name) => name.endsWith('.approval.md'))
  } catch {
    return false
  }
}

/** Watches the home of each folder, even one that does not exist yet, if it would be in the folder itself. */
function createWatchers(notice: () => void) {
  const watched = new Map<string, vscode.Disposable>()
  const drop = (key: string) => {
    watched.get(key)?.dispose()
    watched.delete(key)
  }
  return {
    follow(folders: readonly vscode.WorkspaceFolder[]) {
      const wanted = new Map(folders.map((folder) => patternFor(folder)).map((one) => [keyOf(one), one]))
      for (const key of [...watched.keys()]) if (!wanted.has(key)) drop(key)
      for (const [key, pattern] of wanted) if (!watched.has(key)) watched.set(key, watch(pattern, notice))
    },
    dispose() {
      for (const key of [...watched.keys()]) drop(key)
    },
  }
}

function patternFor(folder: vscode.WorkspaceFolder): vscode.RelativePattern {
  const root = folder.uri.fsPath
  const home = nearestHome(root, process.env) ?? path.join(root, '.cadre')
  const name = path.relative(root, home)
  const isInside = name !== '' && !name.startsWith('..') && !path.isAbsolute(name)
  if (!isInside) return new vscode.RelativePattern(vscode.Uri.file(home), `{${below('').join(',')}}`)
  // VS Code watches the folder anyway. If a folder is removed, only the folder is reported.
  const start = name.split(path.sep).join('/')
  return new vscode.RelativePattern(folder, `{${[start, ...below(`${start}/`)].join(',')}}`)
}

function below(start: string): string[] {
  return parts.flatMap((part) => [`${start}${part}`, `${start}${part}/**`])
}

function keyOf({ baseUri, pattern }: vscode.RelativePattern): string {
  return `${baseUri.toString()} ${pattern}`
}

function watch(pattern: vscode.RelativePattern, notice: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(pattern)
  const heard = ({ fsPath }: vscode.Uri) => {
    // Skips temporary files, which are renamed when complete.
    if (!fsPath.endsWith('.tmp')) notice()
  }
  return vscode.Disposable.from(
    watcher,
    watcher.onDidCreate(heard),
    watcher.onDidChange(heard),
    watcher.onDidDelete(heard),
  )
}
