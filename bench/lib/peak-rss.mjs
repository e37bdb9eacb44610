import fs from 'node:fs'

/**
 * The peak memory of this process in MB. On Linux a child inherits `maxRSS` from its parent, so a small program would be
 * charged with the size of its runner; the kernel's high-water mark of the address space is not inherited.
 */
export function peakRssMb() {
  return (highWaterKb() ?? process.resourceUsage().maxRSS) * 1024e-6
}

function highWaterKb() {
  if (process.platform !== 'linux') return undefined
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))
  return match ? Number(match[1]) : undefined
}
