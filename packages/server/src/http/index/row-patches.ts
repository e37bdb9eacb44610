import type { Hub } from '../stream/hub.ts'
import type { SessionIndex } from './session-index.ts'

export interface RowPatches {
  changed(id: string): void
  removed(id: string): void
  /** Sends all changed rows immediately. */
  flush(): void
  stop(): void
}

/** Sends changed rows, each at most once every 100 ms. Every row is complete: it replaces the reader's earlier row. */
export function createRowPatches(hub: Hub, index: () => SessionIndex, pauseMs = 100): RowPatches {
  const due = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const ids = [...due]
    due.clear()
    if (!hub.isAwake()) return
    for (const id of ids) {
      const row = index().row(id)
      if (row === undefined) continue
      index().sent(
        id,
        hub.publish((seq) => ({ type: 'row', row: { ...row, seq } })),
      )
    }
  }
  return {
    changed(id) {
      due.add(id)
      timer ??= setTimeout(flush, pauseMs).unref()
    },
    removed(id) {
      due.delete(id)
      hub.publish(() => ({ type: 'row.removed', id }))
    },
    flush,
    stop() {
      clearTimeout(timer)
      due.clear()
    },
  }
}
