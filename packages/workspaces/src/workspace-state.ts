import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { isEndedStatus } from '@cadre/core'
import {
  changedPaths,
  diffNames,
  ignoredPaths,
  nonEmptySubmodules,
  treeOf,
  tryGit,
  userIgnores,
} from '@cadre/disk'
import type { Home } from '@cadre/home'
import { runningProcess } from '@cadre/home'
import { tipCommit } from './commit-changes.ts'
import { gitInRepository, gitInWorkspace } from './workspace-git.ts'
import { workspaceLog } from './workspace-log.ts'
import type { WorkspaceRecord } from './workspace-record.ts'

/** The state of a workspace, for people. */
export interface WorkspaceState {
  readonly session: string
  readonly agent: string
  readonly kind: 'worktree' | 'repository'
  readonly path: string
  /** The merge target. */
  readonly target?: string
  readonly branch: string
  /** The session is running, suspended, or ended. */
  readonly life: 'running' | 'sleeping' | 'ended'
  readonly commits: number
  /** Files that differ from the start. */
  readonly files: readonly string[]
  /** The number of files with uncommitted changes. */
  readonly uncommitted: number
  /** Ignored files that no tool named; a folder ends in `/`. They are merged only on request. */
  readonly ignored: readonly string[]
  /** Folders that git skips: nested repositories, and submodules with files in them. They are never merged. */
  readonly repositories: readonly string[]
  /** `empty`: no changes. `gone`: its folder was deleted, its commits still exist. */
  readonly state: 'empty' | 'open' | 'merged' | 'gone'
  readonly created: string
}

export async function workspaceState(home: Home, record: WorkspaceRecord): Promise<WorkspaceState> {
  const { session, agent, kind, target, branch, created, start } = record
  const at = await gitInWorkspace(home, record)
  const isThere = existsSync(record.top)
  const tip = await tipCommit(record, at)
  const hasCommits = tip !== start
  const steps = hasCommits ? await workspaceLog({ ...record, tip }, at) : []
  const files = hasCommits ? await diffNames(start, tip, at) : []
  const changed = isThere ? await changedPaths(at, await userIgnores()) : { paths: [], repositories: [] }
  const uncommitted = changed.paths.length
  const ignored = isThere ? await ignoredPaths(at) : []
  const submodules = isThere ? await nonEmptySubmodules(at) : []
  const isClean = uncommitted === 0
  const isSame = async () => files.length === 0 && (await treeOf(tip, at)) === (await treeOf(start, at))
  const isEmpty = isClean && (!hasCommits || (await isSame()))
  const isMerged = isClean && !isEmpty && (record.merged === tip || (await isInTarget(home, record, tip)))
  return {
    session,
    agent,
    kind,
    path: record.path,
    ...(target !== undefined && { target }),
    branch,
    life: lifeOf(home, record),
    commits: steps.length,
    files,
    uncommitted,
    ignored,
    repositories: [...new Set([...changed.repositories, ...submodules])],
    state: isEmpty ? 'empty' : isMerged ? 'merged' : isThere ? 'open' : 'gone',
    created,
  }
}

/** True if a workspace can be removed without losing anything. */
export function isRemovable({ state, ignored, repositories }: WorkspaceState): boolean {
  return (state === 'empty' || state === 'merged') && ignored.length === 0 && repositories.length === 0
}

/** A person may also have merged the branch with git. */
async function isInTarget(home: Home, record: WorkspaceRecord, tip: string): Promise<boolean> {
  const { kind, target, commonDir } = record
  if (kind !== 'worktree' || target === undefined) return false
  const at = await gitInRepository({ gitDir: commonDir, top: target }, home.path)
  const { code } = await tryGit(['merge-base', '--is-ancestor', tip, 'HEAD'], at)
  return code === 0
}

/** The maximum time from the creation of a workspace to the session's first line. */
const maxStartMs = 600_000

function lifeOf(home: Home, record: WorkspaceRecord): WorkspaceState['life'] {
  const { session, root, created, guests } = record
  if ([root, ...(guests ?? [])].some((one) => runningProcess(home, one) !== undefined)) return 'running'
  // The folder of an agent is not owned by a single session.
  if (guests !== undefined) return 'ended'
  const status = statusIn(home.at('sessions', `${session}.session.yaml`))
  if (status === undefined) return Date.now() - Date.parse(created) < maxStartMs ? 'sleeping' : 'ended'
  return isEndedStatus(status) ? 'ended' : 'sleeping'
}

function statusIn(file: string): string | undefined {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch {
    return undefined
  }
  try {
    const bytes = Buffer.alloc(4_096)
    const length = readSync(fd, bytes, 0, bytes.length, 0)
    return /^status: (\w+)/m.exec(bytes.toString('utf8', 0, length))?.[1] ?? 'sleeping'
  } finally {
    closeSync(fd)
  }
}
