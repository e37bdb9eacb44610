// Points at which a victim can die: before and after every call that changes the disk (journal appends, syncs, leases, the
// forms of approvals, the effects of the tools). `CADRE_KILL_AT=n` ends the process with SIGKILL at the n-th.
// `CADRE_SNAPSHOTS=folder` instead copies the disk at each point to `folder/1`, `folder/2`, …
//
// A snapshot equals what a kill at that point leaves. SIGKILL reverts nothing: every completed write is in the page cache,
// where all processes see it, and a dead process makes no further one. Data in memory is lost in both cases, because
// another process reads the snapshot, and the process that took it is dead by then, as its leases require. `sweep.ts` also
// kills a share of the processes, to test this.
//
// Importing this file changes what `node:fs` exports.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { copyFolder } from './copy-folder.ts'

const killAt = Number(process.env['CADRE_KILL_AT'] ?? Number.POSITIVE_INFINITY)
const snapshots = process.env['CADRE_SNAPSHOTS']
let points = 0
let watched: string | undefined

/** Starts counting points. Snapshots are taken of this folder. */
export function arm(folder: string): void {
  watched = folder
}

/** Stops counting. Returns how many points there were. */
export function disarm(): number {
  watched = undefined
  return points
}

function point(): void {
  if (watched === undefined) return
  points += 1
  if (snapshots !== undefined) {
    const folder = watched
    // Copying does not count as a change of the victim.
    watched = undefined
    copyFolder(folder, `${snapshots}/${points}`)
    watched = folder
  }
  if (points < killAt) return
  process.kill(process.pid, 'SIGKILL')
  // The signal may take a moment; nothing more may happen meanwhile.
  for (;;) {}
}

type Call = (...args: unknown[]) => unknown
const calls = fs as unknown as Record<string, Call>

const changing = [
  'writeSync',
  'writeFileSync',
  'appendFileSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'ftruncateSync',
  'truncateSync',
  'fsyncSync',
  'fdatasyncSync',
  'fchmodSync',
  'openSync',
  'mkdirSync',
  'utimesSync',
  'futimesSync',
  'rmSync',
]
for (const name of changing) {
  const original = calls[name] as Call
  calls[name] = (...args) => {
    point()
    const result = original(...args)
    point()
    return result
  }
}
for (const name of ['fdatasync', 'fsync', 'write']) {
  const original = calls[name] as Call
  calls[name] = (...args) => {
    point()
    const done = args.pop() as Call
    original(...args, (...results: unknown[]) => {
      point()
      done(...results)
    })
  }
}
syncBuiltinESMExports()
