import { CadreError } from '@cadre/core'
import type { TreeLog } from '../log/tree-log.ts'

/** One life of a tree on this worker, for parts of the worker that own something for each tree, such as its files. */
export interface TreeLife {
  readonly root: string
  /** Fires when this worker may no longer run the tree. */
  readonly lost: AbortSignal
  /** Resolves when the server has confirmed that this worker runs the tree. Rejects with `owned` otherwise. */
  confirm(): Promise<void>
  /** Stops running the tree here. The server gives it to a worker again, which may be this one. */
  giveUp(): void
  /** Shows people why the running tree makes no progress. Without a message, removes it. */
  notify(message?: string | null): void
}

export function createTreeLife(log: TreeLog): TreeLife {
  const isOver = () => log.isDead || log.isClosed
  return {
    root: log.root,
    lost: log.lost,
    async confirm() {
      if (isOver()) throw new CadreError('owned', `another process has taken over ${log.root}.`)
      log.add({ t: 'alive' })
      await log.safe()
    },
    giveUp: () => log.die(),
    notify(message = null) {
      if (message !== log.notice && !isOver()) log.add({ t: 'notice', message })
    },
  }
}
