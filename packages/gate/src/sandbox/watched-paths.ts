import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { isInside, namesIn } from '@cadre/disk'
import {
  doubtsFolder,
  type Home,
  hasOwnWriteIn,
  isOwnWrite,
  isSessionName,
  noteDoubt,
  openHome,
  placeKey,
  projectedFolder,
  requestersIn,
  runningProcess,
  sessionOfDoubt,
} from '@cadre/home'
import { isLineOfThisProcess } from '../audit/audit-log.ts'
import { followLinks } from '../paths/follow-links.ts'
import type { Change, ExpectedChanges } from './undo-changes.ts'
import { watchHookLogs } from './watch-hook-logs.ts'

// Folders of other programs also contain much that does not affect agents.
const decidingIn: { readonly [folder: string]: readonly string[] } = {
  '.claude': ['settings.json', 'settings.local.json', 'agents', 'hooks', 'commands', 'skills'],
  opencode: ['agent', 'agents'],
  '.copilot': ['hooks', 'agents', 'skills', 'settings.json', 'config.json', 'mcp-config.json'],
}
const decidingInHome = [
  'config.yaml',
  'templates',
  'approvals',
  path.join('tasks', 'approvals.task.md'),
  'sessions',
  'events',
  path.join('inbox', 'routes.yaml'),
  path.join('storage', 'policy.yaml'),
  path.join('storage', 'people.yaml'),
  path.join('storage', 'givers'),
  path.join('storage', 'wal'),
  path.join(...doubtsFolder),
  path.join(...projectedFolder),
  path.join('storage', 'terminal-cmd-allowlist.yaml'),
  path.join('storage', 'logins'),
  path.join('storage', 'requests', 'queued'),
  path.join('.git', 'config'),
  path.join('.git', 'hooks'),
]

const homeName = '.cadre'
const sessionEnding = '.session.yaml'
const placeLine = new RegExp(`^ *${placeKey}:`, 'm')

/**
 * The paths to compare if there is no sandbox. In the home, only files that affect decisions or are records: other sessions
 * write the rest all the time.
 */
export function watchedPaths(guarded: readonly string[], homes: readonly string[]): string[] {
  return guarded.flatMap((place) => {
    if (homes.includes(place)) return decidingInHome.map((name) => path.join(place, name))
    if (homes.some((home) => isSamePlace(place, home))) return []
    // The home contains workspaces, whose protected files are not part of it.
    if (homes.some((home) => isInside(home, place) && !isInside(path.join(home, 'workspaces'), place)))
      return []
    const parts = decidingIn[path.basename(place)]
    return parts === undefined ? [place] : parts.map((name) => path.join(place, name))
  })
}

/**
 * Homes in the workspace that other processes use, such as the home of the daemon, if this worker has another one. A command can reach them as
 * easily as the home of this process.
 */
export function otherHomesIn(guarded: readonly string[], home: Home | undefined): Home[] {
  return guarded.flatMap((place) => {
    if (path.basename(place) !== homeName || place === home?.path) return []
    if (home !== undefined && (isInside(home.path, place) || isSamePlace(place, home.path))) return []
    const other = openHome({ home: place, cwd: '/', env: {} })
    return existsSync(place) && tokensIn(other).size > 0 ? [other] : []
  })
}

/** The home under another path is compared only once. */
function isSamePlace(place: string, home: string): boolean {
  const followed = followLinks(place)
  return followed.kind === 'followed' && followed.real === home
}

/** As `expectedChangesIn`, for several homes. */
export function expectedChangesInAll(homes: readonly Home[]): ExpectedChanges {
  const elsewhere = expectedChangesIn(undefined)
  const each = homes.map((home) => ({ home: home.path, expected: expectedChangesIn(home) }))
  const of = (place: string) =>
    each.find(({ home }) => isInside(home, place))?.expected ?? each[0]?.expected ?? elsewhere
  return {
    skip: (place) => of(place).skip(place),
    keep: (change) => of(change.path).keep?.(change),
    settle: (change) => of(change.path).settle(change),
    restored() {
      for (const { expected } of each) expected.restored?.()
    },
  }
}

/**
 * Created before the command starts. Journals may grow if another process was running the session before, because the
 * command could forge a lease. Session files that show the record of a worker may grow too, but the daemon does not believe what was added.
 * This process remembers its own writes.
 */
export function expectedChangesIn(home: Home | undefined): ExpectedChanges {
  const sessions = home?.at('sessions')
  const segments = home?.at('storage', 'wal')
  const settleHookLog = watchHookLogs()
  const others = home === undefined ? new Set<string>() : runByOthers(home)
  const tokens = home === undefined ? new Set<string>() : tokensIn(home)
  const events = home?.at('events')
  const givers = home?.at('storage', 'givers')
  const queued = home?.at('storage', 'requests', 'queued')
  const doubts = home?.at(...doubtsFolder)
  const projected = home?.at(...projectedFolder)
  const doubted = new Set<string>()
  const isIn = (folder: string | undefined, place: string) =>
    folder !== undefined && path.dirname(place) === folder
  const isShared = () =>
    home !== undefined &&
    [...tokensIn(home), ...tokens].some(
      (token) => !isOfThisProcess(token) && (tokens.has(token) || isCadre(home, token)),
    )
  return {
    // Temporary files that are about to be renamed. Nothing reads their names.
    skip: (place) =>
      isOwnDraft(place) ||
      ([sessions, queued, projected].some((folder) => isIn(folder, place)) &&
        path.basename(place).startsWith('.')),
    // Another process may have written it meanwhile: the record of a session, or a request. It must not be lost.
    keep(change) {
      const isRecord = isIn(sessions, change.path) || isIn(queued, change.path)
      return home !== undefined && isRecord ? saveCopy(home, change) : undefined
    },
    settle(change) {
      const logged = settleHookLog(change)
      if (logged !== undefined) return logged
      // The contents of a new folder are judged separately.
      const isNewFolder = change.before === undefined && change.after?.kind === 'folder'
      if (
        isNewFolder &&
        ([sessions, events, givers, queued, doubts, projected].includes(change.path) ||
          hasOwnWriteIn(change.path))
      )
        return 'fine'
      if (isNewFolder && home !== undefined && change.path === segments) {
        const isOurs = (name: string) => settleSegment(path.join(segments, name), home, tokens) === 'fine'
        const names = namesIn(segments)
        // Segments come and go: an empty folder is harmless.
        return names.length === 0 || names.some(isOurs) ? 'fine' : 'undo'
      }
      const content = change.after?.kind === 'file' ? change.after.content : undefined
      const isKnown = change.after === undefined || content !== undefined
      if (isKnown && isOwnWrite(change.path, content)) return 'fine'
      if (home !== undefined && isProjection(change, projected))
        return settleProjection(change, home, { isShared: isShared(), doubted })
      if (home !== undefined && isIn(doubts, change.path)) return settleDoubt(change, home, doubted)
      if (home !== undefined && isIn(sessions, change.path)) return settleJournal(change, home, others)
      if (home !== undefined && isIn(segments, change.path)) return settleSegment(change.path, home, tokens)
      if (isIn(givers, change.path)) return settleRequesters(change)
      // A daemon in another process removes the requests that it has delivered.
      if (isIn(queued, change.path) && change.after === undefined && isShared()) return 'fine'
      return isIn(events, change.path) ? settleLog(change, isShared()) : 'undo'
    },
    // The command may have replaced the notes folder with a link.
    restored() {
      for (const session of doubted) if (home !== undefined) canNote(home, session, doubted)
    },
  }
}

/** The maximum number of files saved per command, so that one cannot fill the disk. */
const maxSavedFiles = 100

function saveCopy(home: Home, { path: place, after }: Change): string | undefined {
  if (after?.kind !== 'file' || after.content === undefined) return undefined
  try {
    const folder = home.folder('storage', 'undone')
    if (readdirSync(folder).length >= maxSavedFiles) return undefined
    const copy = path.join(folder, `${Date.now()}-${path.basename(place)}`)
    writeFileSync(copy, after.content, { flag: 'wx', mode: 0o600 })
    return copy
  } catch {
    // On a full disk nothing can be saved, but the change is still reported.
    return undefined
  }
}

/** Named like temporary files of the file tools: nothing reads such names. */
function isOwnDraft(place: string): boolean {
  return /^\.cadre-[0-9a-f]{16}\.tmp$/.test(path.basename(place))
}

/** Keeps the old content, plus text that this process, or another one in this home, has appended. */
function settleLog({ before, after }: Change, isShared: boolean): 'fine' | 'undo' | Buffer {
  const old = before === undefined ? Buffer.alloc(0) : before.kind === 'file' ? before.content : undefined
  const now = after?.kind === 'file' ? after.content : undefined
  if (old === undefined || now === undefined) return 'undo'
  const added = now
    .subarray(old.length)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
  const ours = added.filter((line) => isShared || isLineOfThisProcess(line))
  if (ours.length === added.length && now.subarray(0, old.length).equals(old)) return 'fine'
  if (before === undefined && ours.length === 0) return 'undo'
  return Buffer.concat([old, Buffer.from(ours.map((line) => `${line}\n`).join(''))])
}

/**
 * A daemon in another process may add people meanwhile, and a lost name would let that person approve their own work. A name that the
 * command adds only excludes somebody.
 */
function settleRequesters({ before, after }: Change): 'fine' | 'undo' {
  if (before === undefined) return after?.kind === 'file' ? 'fine' : 'undo'
  const [was, is] = [before, after].map((state) =>
    state?.kind === 'file' && state.content !== undefined ? requestersIn(state.content.toString('utf8')) : [],
  )
  return after !== undefined && was?.every((name) => is?.includes(name)) ? 'fine' : 'undo'
}

/** A session that workers run: its file in `sessions`, or what the daemon remembers of it. */
function isProjection({ path: place, before, after }: Change, remembered: string | undefined): boolean {
  if (path.dirname(place) === remembered) return true
  if (!place.endsWith(sessionEnding) || path.basename(path.dirname(place)) !== 'sessions') return false
  return [before, after].some((state) => state?.kind === 'file' && placeLine.test(headOf(state.content)))
}

/**
 * Only the daemon knows what it has written, so it must write the record to the file before it trusts the file again. Here, an addition stays,
 * because most are the daemon's. Anything else is undone, so that the edit of a person that the daemon has not sent yet is not lost.
 */
function settleProjection(
  change: Change,
  home: Home,
  { isShared, doubted }: { readonly isShared: boolean; readonly doubted: Set<string> },
): 'fine' | 'undo' {
  const { path: place, before, after } = change
  const id = path.basename(place, sessionEnding)
  if (!isShared || !canNote(home, id, doubted)) return 'undo'
  if (!place.endsWith(sessionEnding)) return 'fine'
  const [was, is] = [before, after].map((state) => (state?.kind === 'file' ? state.content : undefined))
  if (is === undefined) return 'undo'
  if (before === undefined) return isRunByOther(home, rootOf(is)) ? 'fine' : 'undo'
  const isAddition = was !== undefined && withoutVolatileFields(is).startsWith(withoutVolatileFields(was))
  return isAddition ? 'fine' : 'undo'
}

/** A new note does no harm. The daemon may have removed an old one before it saw that the command runs. */
function settleDoubt(
  { path: place, before, after }: Change,
  home: Home,
  doubted: Set<string>,
): 'fine' | 'undo' {
  if (before === undefined) return after?.kind === 'file' ? 'fine' : 'undo'
  const session = sessionOfDoubt(path.basename(place))
  return after === undefined && canNote(home, session, doubted) ? 'fine' : 'undo'
}

function canNote(home: Home, session: string, doubted: Set<string>): boolean {
  try {
    if (!isSessionName(session)) return false
    doubted.add(session)
    noteDoubt(home, session)
    return true
  } catch {
    return false
  }
}

function settleJournal(
  { before, after }: Change,
  home: Home,
  others: ReadonlySet<string>,
): 'fine' | 'undo' | Buffer {
  const old = before?.kind === 'file' ? before.content : undefined
  const now = after?.kind === 'file' ? after.content : undefined
  if (before === undefined && now !== undefined) return isRunByOther(home, rootOf(now)) ? 'fine' : 'undo'
  if (old === undefined || now === undefined || !others.has(rootOf(old))) return 'undo'
  const [was, is] = [withoutVolatileFields(old), withoutVolatileFields(now)]
  return is.startsWith(was) ? 'fine' : joinEntries(old, now)
}

/** The old content, plus entries that the session itself has appended meanwhile. */
function joinEntries(before: Buffer, after: Buffer): Buffer {
  return Buffer.concat([before, after.subarray(before.length)])
}

function headOf(journal: Buffer | undefined): string {
  const text = journal?.toString('latin1') ?? ''
  const end = text.indexOf('\nmessages:')
  return end === -1 ? text : text.slice(0, end)
}

/** Returns a journal without the header fields that are updated in place. */
function withoutVolatileFields(journal: Buffer): string {
  const text = journal.toString('latin1')
  const end = text.indexOf('\nmessages:')
  const head = end === -1 ? text : text.slice(0, end)
  return head.replace(/^(?:updated|status| {2}outcome): .*$/gm, '') + (end === -1 ? '' : text.slice(end))
}

function rootOf(journal: Buffer): string {
  return /^ {2}root: ['"]?([A-Za-z0-9_.-]+)/m.exec(journal.toString('latin1'))?.[1] ?? ''
}

/** The root sessions that other processes run. */
function runByOthers(home: Home): Set<string> {
  const ending = '.lease'
  const roots = namesIn(home.at('storage', 'leases')).flatMap((name) =>
    name.endsWith(ending) ? [name.slice(0, -ending.length)] : [],
  )
  return new Set(roots.filter((root) => isRunByOther(home, root)))
}

function isRunByOther(home: Home, root: string): boolean {
  const holder = root === '' ? undefined : runningProcess(home, root)
  return holder !== undefined && (holder.pid !== process.pid || holder.host !== hostname())
}

/** A token starts with the id of its process. */
function isOfThisProcess(token: string): boolean {
  return token.startsWith(`${process.pid}-`)
}

/** The tokens of processes that registered in this home. */
function tokensIn(home: Home): Set<string> {
  const ending = '.process'
  return new Set(
    namesIn(home.at('storage', 'leases')).flatMap((name) =>
      name.endsWith(ending) ? [name.slice(0, -ending.length)] : [],
    ),
  )
}

/**
 * After a power loss, segments are written to the session files. A segment that was not written by a process of this home
 * could contain anything.
 */
function settleSegment(place: string, home: Home, tokens: ReadonlySet<string>): 'fine' | 'undo' {
  const token = /^(.+)\.\d+\.wal$/.exec(path.basename(place))?.[1]
  if (token === undefined) return 'undo'
  return tokens.has(token) || isCadre(home, token) ? 'fine' : 'undo'
}

/** True for a Cadre process that started meanwhile: it runs the same program as this one, if the system reports that. */
function isCadre(home: Home, token: string): boolean {
  try {
    const card = home.at('storage', 'leases', `${token}.process`)
    const { pid } = JSON.parse(readFileSync(card, 'utf8')) as { readonly pid: number }
    return (
      !existsSync('/proc/self/exe') || readlinkSync(`/proc/${pid}/exe`) === realpathSync(process.execPath)
    )
  } catch {
    return false
  }
}
