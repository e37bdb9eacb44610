/**
 * Decides whether a daemon may act on the files in its home while git changes files in it.
 *
 * 1. While a git command changes the work tree around the home, nothing is done: files arrive before they are in the index.
 * 2. If an index has changed, nothing is done until it is known that the home is still trusted.
 * 3. Once it is not, nothing is done anymore, and `untrusted` resolves.
 */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { FolderItem } from '@cadre/gate'
import { type Home, placesOf, repositoriesAbove } from '@cadre/home'

export interface TrackedFilesGuard {
  mayAct(): boolean
  readonly untrusted: Promise<readonly FolderItem[]>
}

/** An older lock was left by a dead git process. */
const maxLockAge = 60_000

export function guardTrackedFiles(
  home: Home,
  untrustedNow: () => Promise<readonly FolderItem[]>,
): TrackedFilesGuard {
  let known = stampOf(home)
  let isLooking = false
  let isOver = false
  let resolveUntrusted: (items: readonly FolderItem[]) => void = () => {}
  const untrusted = new Promise<readonly FolderItem[]>((resolve) => {
    resolveUntrusted = resolve
  })
  const look = async (stamp: string) => {
    isLooking = true
    try {
      const items = await untrustedNow()
      if (items.length > 0) {
        isOver = true
        resolveUntrusted(items)
      } else known = stamp
    } finally {
      isLooking = false
    }
  }
  return {
    mayAct() {
      if (isOver || isLooking || isLocked(home)) return false
      const stamp = stampOf(home)
      if (stamp === known) return true
      // If a check fails, the next call checks again.
      look(stamp).catch(() => {})
      return false
    },
    untrusted,
  }
}

function gitFolders(home: Home): string[] {
  return placesOf(home.path).flatMap((place) => repositoriesAbove(place).map(({ gitDir }) => gitDir))
}

function isLocked(home: Home): boolean {
  return gitFolders(home).some((folder) => {
    const lock = statSync(path.join(folder, 'index.lock'), { throwIfNoEntry: false })
    return lock !== undefined && Date.now() - lock.mtimeMs < maxLockAge
  })
}

function stampOf(home: Home): string {
  return gitFolders(home)
    .map((folder) => {
      const index = path.join(folder, 'index')
      if (!existsSync(index)) return folder
      const { ino, size, mtimeMs, ctimeMs } = statSync(index)
      return `${folder} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
    })
    .join('\n')
}
