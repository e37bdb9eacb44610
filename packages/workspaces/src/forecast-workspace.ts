/**
 * Says what would conflict if workspaces were merged now. Nothing is touched: git's objects go into a folder that is deleted again, and no
 * index, file or branch changes. Changes of a call that is still running are not committed yet, so they are not included.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { diffNames, type GitRequest, git, mergeTrees, stagePaths } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { tipCommit } from './commit-changes.ts'
import { gitInWorkspace } from './workspace-git.ts'
import { listRecords, type WorkspaceRecord } from './workspace-record.ts'

export interface WorkspaceForecast {
  readonly session: string
  /** Only those that have changed the same files. */
  readonly with: readonly ForecastItem[]
  /** Workspaces that were not compared, because there are too many. */
  readonly omitted: number
}

export interface ForecastItem {
  /** Another session with its own workspace, or `target` for the folder that the changes would be merged into. */
  readonly session: string
  /** Files that both sides have changed. */
  readonly files: readonly string[]
  /** Files among them that git cannot merge. */
  readonly conflicts: readonly string[]
}

/** One that was merged or has no changes cannot conflict. */
interface Side {
  readonly record: WorkspaceRecord
  readonly tip: string
  readonly files: readonly string[]
}

const maxCompared = 100

export async function forecastWorkspace(
  home: Home,
  record: WorkspaceRecord,
  signal?: AbortSignal,
): Promise<WorkspaceForecast> {
  const own = await sideOf(home, record, signal)
  const { session } = record
  if (own.files.length === 0) return { session, with: [], omitted: 0 }
  const others = listRecords(home).filter(
    (other) => other.state === 'ready' && other.session !== session && other.target === record.target,
  )
  const found: ForecastItem[] = []
  const folder = mkdtempSync(path.join(home.folder('storage', 'workspaces'), 'forecast-'))
  try {
    const target = await withTarget(home, own, folder, signal)
    if (target !== undefined) found.push(target)
    for (const other of others.slice(0, maxCompared)) {
      const item = await withOther(home, own, await sideOf(home, other, signal), folder, signal)
      if (item !== undefined) found.push(item)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  return { session, with: found, omitted: Math.max(0, others.length - maxCompared) }
}

async function sideOf(home: Home, record: WorkspaceRecord, signal?: AbortSignal): Promise<Side> {
  const at = await gitInWorkspace(home, record, signal)
  const tip = await tipCommit(record, at)
  const isMerged = record.merged === tip || tip === record.start
  return { record, tip, files: isMerged ? [] : await diffNames(record.start, tip, at) }
}

/** With the files in the target as they are now, committed or not. */
async function withTarget(
  home: Home,
  { record, tip, files }: Side,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<ForecastItem | undefined> {
  const { target, start } = record
  if (target === undefined || !existsSync(target)) return undefined
  const at = {
    ...(await apart(home, record, [], folder, signal)),
    workTree: target,
    index: path.join(folder, 'index'),
  }
  rmSync(at.index, { force: true })
  await git(['read-tree', start], at)
  // Only files that the session has changed matter, so the others need not be read.
  await stagePaths(files, at)
  const ours = (await git(['write-tree'], at)).trim()
  const changed = new Set(await diffNames(start, ours, at))
  const both = files.filter((name) => changed.has(name))
  if (both.length === 0) return undefined
  const merged = await mergeTrees({ base: start, ours, theirs: tip }, at)
  return item('target', both, merged)
}

async function withOther(
  home: Home,
  own: Side,
  other: Side,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<ForecastItem | undefined> {
  const theirs = new Set(other.files)
  const both = own.files.filter((name) => theirs.has(name))
  if (both.length === 0) return undefined
  const at = await apart(home, own.record, [other.record], folder, signal)
  const merged = await mergeTrees({ base: own.record.start, ours: other.tip, theirs: own.tip }, at)
  return item(other.record.session, both, merged)
}

function item(
  session: string,
  both: readonly string[],
  merged: Awaited<ReturnType<typeof mergeTrees>>,
): ForecastItem {
  const conflicts = merged.kind === 'conflicts' ? new Set(merged.files) : new Set<string>()
  return { session, files: both, conflicts: both.filter((name) => conflicts.has(name)) }
}

/** Git in a workspace's repository, with new objects in another folder. */
async function apart(
  home: Home,
  record: WorkspaceRecord,
  others: readonly WorkspaceRecord[],
  folder: string,
  signal: AbortSignal | undefined,
): Promise<GitRequest> {
  const write = path.join(folder, 'objects')
  mkdirSync(write, { recursive: true })
  const read = [...new Set([record, ...others].map(({ commonDir }) => path.join(commonDir, 'objects')))]
  const at = await gitInWorkspace(home, record, signal)
  return { ...at, index: path.join(folder, 'unused'), objects: { write, read } }
}
