import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isObject, ownerOnly } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { runningProcess } from '@cadre/home'

/** What is known of a session's own workspace. Kept where no agent can write; the folder itself is believed in nothing. */
export interface WorkspaceRecord {
  readonly session: string
  /** The entry session of its tree. */
  readonly root: string
  readonly agent: string
  /** `worktree`: of the repository its base belongs to. `repository`: one of its own. */
  readonly kind: 'worktree' | 'repository'
  /** While it is being made there may be any part of it. */
  readonly state: 'preparing' | 'ready'
  /** The top folder. */
  readonly top: string
  /** The folder the session works in: the top, or as far below it as the base is below the top of its repository. */
  readonly path: string
  /** The folder the session would have shared; nothing when it began empty. */
  readonly base?: string
  /** The folder that changes are merged into: the top of the base's repository, or the base itself. */
  readonly target?: string
  readonly gitDir: string
  readonly commonDir: string
  readonly branch: string
  /** The commit it began with: everything after it is the session's work. */
  readonly start: string
  /** The last commit of ours. */
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

/** The index of ours: an agent can change its own, and say there that files are not to be looked at. */
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
export function addGuest(home: Home, record: WorkspaceRecord, root: string): void {
  const others = [...(record.guests ?? []), record.root].filter(
    (other) => other !== root && runningProcess(home, other) !== undefined,
  )
  writeRecord(home, { ...record, root, guests: others })
}

export function removeRecord(home: Home, session: string): void {
  rmSync(indexFile(home, session), { force: true })
  rmSync(recordFile(home, session), { force: true })
}

/** All that are known, the oldest first. */
export function listRecords(home: Home): readonly WorkspaceRecord[] {
  let names: string[]
  try {
    names = readdirSync(home.at('storage', 'workspaces'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return names
    .filter((name) => name.endsWith(ending))
    .flatMap((name) => readRecord(home, name.slice(0, -ending.length)) ?? [])
    .sort((a, b) => (a.created < b.created ? -1 : 1))
}
