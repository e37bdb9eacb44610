import fs from 'node:fs'

// The cost of another process, from the kernel. NaN on systems other than Linux.
const tickMs = 10

/** The CPU time so far in milliseconds, including children that have been waited for. */
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

/** True if it has running child processes. */
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
