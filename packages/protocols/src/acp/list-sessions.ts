import { realPathOf } from '@cadre/disk'
import { type Sessions, sharedFolder } from '@cadre/runtime'
import type { SessionInfo } from './acp-types.ts'
import { editorSessionOf, sessionPartsOf } from './session-parts.ts'
import { titleOf } from './session-titles.ts'

const pageSize = 50

export type ListedSessions =
  | { readonly kind: 'page'; readonly sessions: SessionInfo[]; readonly nextCursor?: string }
  | { readonly kind: 'invalid' }

export interface ListOptions {
  /** Only sessions that work in this folder. */
  readonly cwd?: string | undefined
  readonly cursor?: string | undefined
}

/** A home's conversations from all programs, most recently active first. Child sessions are part of their conversation. */
export async function listSessions(sessions: Sessions, options: ListOptions): Promise<ListedSessions> {
  const after = options.cursor === undefined ? undefined : readCursor(options.cursor)
  if (options.cursor !== undefined && after === undefined) return { kind: 'invalid' }
  const cwd = options.cwd === undefined ? undefined : realPathOf(options.cwd)
  const all = (await sessions.list())
    .filter(({ parent }) => parent === undefined)
    .toSorted((a, b) => compare(keyOf(b), keyOf(a)))
  const ids = new Set(all.map(({ id }) => id))
  const page: SessionInfo[] = []
  let last: Key | undefined
  for (const summary of all) {
    if (after !== undefined && compare(keyOf(summary), after) >= 0) continue
    const id = editorSessionOf(summary.id)
    // The newest part represents the whole session.
    if (ids.has(id) && sessionPartsOf(sessions, id).at(-1) !== summary.id) continue
    if (page.length === pageSize)
      return { kind: 'page', sessions: page, ...(last && { nextCursor: writeCursor(last) }) }
    const stored = await sessions.read(summary.id).catch(() => undefined)
    // A file that cannot be read cannot be loaded either. "cadre sessions list" shows it with its error.
    if (stored === undefined || stored.spec.root !== stored.spec.id) continue
    const folder = sharedFolder(stored.spec)
    if (cwd !== undefined && realPathOf(folder) !== cwd) continue
    const first = ids.has(id) && id !== summary.id ? await sessions.read(id).catch(() => stored) : stored
    last = keyOf(summary)
    page.push({
      sessionId: ids.has(id) ? id : summary.id,
      cwd: folder,
      title: titleOf(first.spec.work.content),
      updatedAt: summary.updated,
    })
  }
  return { kind: 'page', sessions: page }
}

/** When it was last active, and its id. */
type Key = readonly [string, string]

function keyOf({ updated, id }: { readonly updated: string; readonly id: string }): Key {
  return [updated, id]
}

function compare(a: Key, b: Key): number {
  return a[0] === b[0] ? (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0) : a[0] < b[0] ? -1 : 1
}

function writeCursor(key: Key): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

function readCursor(text: string): Key | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'string')
      ? [String(value[0]), String(value[1])]
      : undefined
  } catch {
    return undefined
  }
}
