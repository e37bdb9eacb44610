import { watchFolder } from '@cadre/disk'
import type { ApprovalRecord } from './approval-record.ts'

/** The poll interval, in milliseconds, on systems that do not report file changes. */
const pollMs = 1000

/**
 * Resolves when `look` finds something for an approval, or with undefined if `signal` aborts. One watcher serves all waiting approvals.
 */
export function watchForms<Found>(
  folders: readonly string[],
  look: (record: ApprovalRecord) => Found | undefined,
): (record: ApprovalRecord, signal: AbortSignal) => Promise<Found | undefined> {
  const waiting = new Map<ApprovalRecord, (found: Found) => void>()
  let watches: { close(): void }[] = []
  let timer: NodeJS.Immediate | undefined
  const lookNow = () => {
    timer = undefined
    for (const [record, decided] of [...waiting]) {
      const found = look(record)
      if (found !== undefined) decided(found)
    }
  }
  const lookSoon = () => {
    timer ??= setImmediate(lookNow)
  }
  const stop = (record: ApprovalRecord) => {
    waiting.delete(record)
    if (waiting.size > 0) return
    for (const watch of watches) watch.close()
    watches = []
    clearImmediate(timer)
    timer = undefined
  }
  return (record, signal) =>
    new Promise((resolve) => {
      const end = (found: Found | undefined) => {
        signal.removeEventListener('abort', leave)
        stop(record)
        resolve(found)
      }
      const leave = () => end(undefined)
      if (signal.aborted) return resolve(undefined)
      signal.addEventListener('abort', leave, { once: true })
      waiting.set(record, end)
      if (watches.length === 0)
        watches = folders.map((folder) => watchFolder(folder, lookSoon, { every: pollMs, persistent: false }))
      lookSoon()
    })
}
