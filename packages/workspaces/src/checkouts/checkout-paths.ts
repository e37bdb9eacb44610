import path from 'node:path'
import { isInside } from '@cadre/disk'
import type { Home } from '@cadre/home'

/**
 * Records name the folders of a tree by paths that are the same on every worker, because the worker that continues a tree has its checkout
 * elsewhere. A worker replaces these paths by its own when it reads a record, and its own by these when it writes one.
 */
const recordedCheckouts = '/cadre/checkouts'
const recordedWorkspaces = '/cadre/workspaces'

const recorded = new RegExp(`(?<![\\w.-])(${recordedCheckouts}|${recordedWorkspaces})/`, 'g')

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
  const pairs = [
    [`${folders.checkouts}/`, `${recordedCheckouts}/`],
    [`${folders.workspaces}/`, `${recordedWorkspaces}/`],
  ] as const
  const local = new Map<string, string>([
    [recordedCheckouts, `${folders.checkouts}/`],
    [recordedWorkspaces, `${folders.workspaces}/`],
  ])
  return {
    toLocal: (value) =>
      mapTexts(value, (text) => text.replace(recorded, (_, name: string) => local.get(name) as string)),
    // The first folder may be inside the second one.
    toRecorded: (value) =>
      mapTexts(value, (text) => pairs.reduce((all, [from, to]) => all.replaceAll(from, to), text)),
  }
}

/** The recorded workspace of a new tree. `below`: the folder in the repository where its sessions work. */
export function recordedCheckout(root: string, below = ''): string {
  return path.posix.join(recordedCheckouts, root, below.split(path.sep).join('/'))
}

export function isRecordedCheckout(workspace: string): boolean {
  return workspace.startsWith(`${recordedCheckouts}/`)
}

/** The part of a recorded workspace below the checkout of its tree. Empty if it leaves the checkout. */
export function folderInCheckout(root: string, workspace: string): string {
  const top = recordedCheckout(root)
  const folder = path.posix.normalize(workspace)
  return isInside(top, folder) ? path.posix.relative(top, folder) : ''
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
