import path from 'node:path'
import { escapeRegex, isInside } from '@cadre/disk'
import type { Home } from '@cadre/home'

/**
 * Records name the folders of a tree by paths that are the same on every worker, because the worker that continues a tree has its checkout
 * elsewhere. A worker replaces these paths by its own when it reads a record, and its own by these when it writes one.
 */
const recordedCheckouts = '/cadre/checkouts'

/**
 * A recorded path has no mark. After a letter, as in `-I/path`, it has the mark `=`, because only this tells it from the end of another path.
 * Each text that looks like one of these has one more `~` in records. So every text comes back as it was.
 */
const recorded = '/cadre/([~=]*)(checkouts|workspaces)/'
const isAfterLetter = (text: string, at: number) => /[\w.-]/.test(text.charAt(at - 1))

/** The folder with the checkouts of all workers of a home. No session can have this name. */
export function checkoutsIn(home: Home): string {
  return home.at('workspaces', '.checkouts')
}

export interface CheckoutPaths {
  /** Replaces recorded paths in all texts of a value. */
  toLocal<T>(value: T): T
  /** Replaces paths of this worker in all texts of a value. */
  toRecorded<T>(value: T): T
}

/** `checkouts` is the folder with the checkouts of this worker, and `workspaces` the one with those of isolated sessions. */
export function createCheckoutPaths(folders: {
  readonly checkouts: string
  readonly workspaces: string
}): CheckoutPaths {
  const names = [
    [`${folders.checkouts}/`, 'checkouts'],
    [`${folders.workspaces}/`, 'workspaces'],
  ] as const
  const nameOf = new Map<string, string>(names)
  const folderOf = new Map<string, string>(names.map(([folder, name]) => [name, folder]))
  const inRecord = new RegExp(recorded, 'g')
  // The first folder may be inside the second one.
  const here = new RegExp(`${names.map(([folder]) => escapeRegex(folder)).join('|')}|${recorded}`, 'g')
  return {
    toLocal: (value) =>
      mapTexts(value, (text) =>
        text.replace(inRecord, (found, mark: string, name: string, at: number) => {
          if (mark.startsWith('~')) return `/cadre/${mark.slice(1)}${name}/`
          const isPath = mark === '=' || (mark === '' && !isAfterLetter(text, at))
          return isPath ? (folderOf.get(name) as string) : found
        }),
      ),
    toRecorded: (value) =>
      mapTexts(value, (text) =>
        text.replace(here, (found, mark: string | undefined, word: string, at: number) => {
          const name = nameOf.get(found)
          const isAfter = isAfterLetter(text, at)
          if (name !== undefined) return `/cadre/${isAfter ? '=' : ''}${name}/`
          return mark === '' && isAfter ? found : `/cadre/~${mark}${word}/`
        }),
      ),
  }
}

/** The recorded workspace of a new tree. `below`: the folder in the repository where its sessions work. */
export function recordedCheckout(root: string, below = ''): string {
  return path.posix.join(recordedCheckouts, root, below.split(path.sep).join('/'))
}

export function isRecordedCheckout(workspace: string): boolean {
  return workspace.startsWith(`${recordedCheckouts}/`)
}

/** The part of a recorded workspace below the checkout of its tree. `undefined` if it is not exactly a path in that checkout. */
export function folderInCheckout(root: string, workspace: string): string | undefined {
  const top = recordedCheckout(root)
  const below = path.posix.relative(top, workspace)
  return isInside(top, workspace) && recordedCheckout(root, below) === workspace ? below : undefined
}

/** Returns the same object if nothing in it changes. */
function mapTexts<T>(value: T, map: (text: string) => string): T {
  if (typeof value === 'string') return map(value) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const mapped = value.map((item) => mapTexts(item, map))
    return mapped.every((item, index) => item === value[index]) ? value : (mapped as T)
  }
  const changed: Record<string, unknown> = {}
  for (const [key, before] of Object.entries(value)) {
    const after = mapTexts(before, map)
    if (after !== before) changed[key] = after
  }
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed }
}
