import fs from 'node:fs'

// Of another process, from what the kernel says of it. Not a number where the kernel is not Linux.
const tickMs = 10

/** Milliseconds of CPU so far, with those of the processes it has waited for. */
export function costOf(pid) {
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')
  return fields === undefined
    ? Number.NaN
    : fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * tickMs
}

export function rssMb(pid) {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1]
  return kb === undefined ? Number.NaN : Number(kb) * 1024e-6
}

/** Whether it has started processes that have not ended. */
export function isBusy(pid) {
  return (read(`/proc/${pid}/task/${pid}/children`) ?? '').trim() !== ''
}

export function isGone({ exitCode, signalCode }) {
  return exitCode !== null || signalCode !== null
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
