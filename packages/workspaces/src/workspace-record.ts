import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isObject } from '@cadre/core'
import { listFolder, ownerOnly } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { runningProcess } from '@cadre/home'

/** The record of a session's own workspace. Stored where no agent can write; the folder itself is not trusted. */
export interface WorkspaceRecord {
  readonly session: string
  /** The entry session of its tree. */
  readonly root: string
  readonly agent: string
  /** `worktree`: of the base's repository. `repository`: a separate one. */
  readonly kind: 'worktree' | 'repository'
  /** While it is being created, any part of it may exist. */
  readonly state: 'preparing' | 'ready'
  /** The top folder. */
  readonly top: string
  /** The folder the session works in: the top, or the same subfolder as the base in its repository. */
  readonly path: string
  /** The folder the session would have shared; absent if it started empty. */
  readonly base?: string
  /** The folder that changes are merged into: the top of the base's repository, or the base itself. */
  readonly target?: string
  readonly gitDir: string
  readonly commonDir: string
  readonly branch: string
  /** The initial commit: everything after it is the session's work. */
  readonly start: string
  /** Cadre's last commit. */
  readonly tip: string
  /** The last commit that was merged. */
  readonly merged?: string
  readonly created: string
  /** For a shared folder: the entry sessions that use it after the first. */
  readonly guests?: readonly string[]
}

const ending = '.json'

function recordFile(home: Home, session: string): string {
  return home.at('storage', 'workspaces', `${session}${ending}`)
}

/** Cadre's own index: an agent can change the one in the workspace, and mark files to be skipped. */
export function indexFile(home: Home, session: string): string {
  return home.at('storage', 'workspaces', `${session}.index`)
}

export function readRecord(home: Home, session: string): WorkspaceRecord | undefined {
  let text: string
  try {
    text = readFileSync(recordFile(home, session), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const read: unknown = JSON.parse(text)
    return isObject(read) && typeof read['top'] === 'string'
      ? (read as unknown as WorkspaceRecord)
      : undefined
  } catch {
    return undefined
  }
}

export function writeRecord(home: Home, record: WorkspaceRecord): void {
  home.folder('storage', 'workspaces')
  const file = recordFile(home, record.session)
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, `${JSON.stringify(record, undefined, 2)}\n`, { mode: ownerOnly })
  renameSync(draft, file)
}

/** Records that another tree uses the folder, and drops trees that have ended. */
export function addWorkspaceUser(home: Home, record: WorkspaceRecord, root: string): void {
  const others = [...(record.guests ?? []), record.root].filter(
    (other) => other !== root && runningProcess(home, other) !== undefined,
  )
  writeRecord(home, { ...record, root, guests: others })
}

export function removeRecord(home: Home, session: string): void {
  rmSync(indexFile(home, session), { force: true })
  rmSync(recordFile(home, session), { force: true })
}

/** All records, oldest first. */
export function listRecords(home: Home): readonly WorkspaceRecord[] {
  return listFolder(home.at('storage', 'workspaces'))
    .filter((name) => name.endsWith(ending))
    .flatMap((name) => readRecord(home, name.slice(0, -ending.length)) ?? [])
    .sort((a, b) => (a.created < b.created ? -1 : 1))
}
