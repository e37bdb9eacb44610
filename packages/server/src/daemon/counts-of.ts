import type { Duty } from '../duty.ts'
import type { DaemonStatus } from './daemon-status.ts'

/** By duty, of those that count something. */
export function countsOf(duties: readonly Duty[]): DaemonStatus['counts'] {
  return Object.fromEntries(
    duties.flatMap((duty) => {
      const counts = duty.counts?.()
      return counts === undefined ? [] : [[duty.name, counts]]
    }),
  )
}
