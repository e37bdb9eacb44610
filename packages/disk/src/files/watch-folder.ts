import { type FSWatcher, watch } from 'node:fs'

export interface FolderWatch {
  close(): void
}

export interface WatchOptions {
  /** Milliseconds between checks, because not every file system reports changes. */
  readonly every: number
  /** True if watching keeps the process alive. */
  readonly persistent: boolean
}

/** Calls `look` soon after anything in the folder changes, and also at an interval. */
export function watchFolder(
  folder: string,
  look: () => void,
  { every, persistent }: WatchOptions,
): FolderWatch {
  const timer = setInterval(look, every)
  if (!persistent) timer.unref()
  let watcher: FSWatcher | undefined
  try {
    watcher = watch(folder, { persistent }, look)
    // If the system has no watches left, the timer is enough.
    watcher.on('error', () => watcher?.close())
  } catch {
    watcher = undefined
  }
  return {
    close() {
      clearInterval(timer)
      watcher?.close()
    },
  }
}
