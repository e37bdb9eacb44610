import { type FSWatcher, watch } from 'node:fs'

export interface FolderWatch {
  close(): void
}

export interface WatchOptions {
  /** Milliseconds between looks when the system tells nothing: not every file system does. */
  readonly every: number
  /** Whether the watching alone keeps the process alive. */
  readonly persistent: boolean
}

/** Calls `look` soon after anything in the folder changes, and now and then in any case. */
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
    // When the system has no more to give, the timer is enough.
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
