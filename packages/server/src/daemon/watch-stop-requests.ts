import { existsSync, rmSync } from 'node:fs'
import { type FolderWatch, watchFolder } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { stopRequest } from './daemon-status.ts'

const every = 2000

export interface StopRequestOptions {
  /** Called before a request is handled. While it returns false, the request stays. */
  readonly mayAct: () => boolean
  readonly ask: () => void
}

/** Ignores requests that are older than this process. */
export function watchStopRequests(home: Home, { mayAct, ask }: StopRequestOptions): () => void {
  const folder = home.folder('storage', 'requests')
  const file = home.at('storage', 'requests', stopRequest)
  rmSync(file, { force: true })
  const look = () => {
    if (!existsSync(file) || !mayAct()) return
    rmSync(file, { force: true })
    ask()
  }
  const watch: FolderWatch = watchFolder(folder, look, { every, persistent: false })
  return () => watch.close()
}
