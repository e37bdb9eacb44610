import fs from 'node:fs'

/**
 * The most memory this process has held, in MB. Linux hands `maxRSS` down from parent to child, so a small program
 * would be charged with the size of its runner; the kernel's own high-water mark of the address space is not.
 */
export function peakRssMb() {
  return (highWaterKb() ?? process.resourceUsage().maxRSS) * 1024e-6
}

function highWaterKb() {
  if (process.platform !== 'linux') return undefined
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))
  return match ? Number(match[1]) : undefined
}
