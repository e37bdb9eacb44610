// What a victim is made of: points at which the process may be told to kill itself, a clock, and tools whose effects a test
// can see. Points are counted before and after every call that changes the disk: journal appends, syncs, leases, the forms of
// approvals, and the effects of the tools. CADRE_KILL_AT=n ends the process with SIGKILL at the n-th.
//
// Import it before anything of Cadre: it replaces what `node:fs` gives.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const killAt = Number(process.env.CADRE_KILL_AT ?? Number.POSITIVE_INFINITY)
let points = 0
let armed = false

/** From here on points count. */
export function arm() {
  armed = true
}

/** From here on nothing kills it. Gives back how many points there were. */
export function disarm() {
  armed = false
  return points
}

const point = () => {
  if (!armed) return
  points += 1
  if (points < killAt) return
  process.kill(process.pid, 'SIGKILL')
  // The signal may take a moment; nothing more may happen meanwhile.
  for (;;) {}
}

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
  const original = fs[name]
  fs[name] = (...args) => {
    point()
    const result = original(...args)
    point()
    return result
  }
}
for (const name of ['fdatasync', 'fsync', 'write']) {
  const original = fs[name]
  fs[name] = (...args) => {
    point()
    const done = args.pop()
    original(...args, (...results) => {
      point()
      done(...results)
    })
  }
}
syncBuiltinESMExports()
