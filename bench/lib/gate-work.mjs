import { monitorEventLoopDelay } from 'node:perf_hooks'
import { median } from './median.mjs'

/** The work of every program in the suite `gate`, so that the same is compared. */

/** Allowed calls without hooks, of the most common kinds. */
export const allowedCalls = [
  ['read', 'read_file', { path: 'src/deep/a.ts' }],
  ['write', 'write_file', { path: 'src/deep/b.ts', content: 'x' }],
  ['command', 'execute_command', { command: 'git diff --stat -- src && ls -la src/deep' }],
]

/** A line of 1 KB, as agents write them: sequences, pipes, quotes, substitutions, redirects. */
export const longLine = (() => {
  const part =
    'cd src && grep -rn "to do: $(git rev-parse --short HEAD)" --include=\'*.ts\' . | sort -u | head -n 20 > out.txt 2>&1; '
  return part.repeat(Math.ceil(1024 / part.length)).slice(0, part.length * Math.floor(1024 / part.length))
})()

/** A hook that reads its input and prints nothing. */
export const hookCommand = 'cat > /dev/null'

/** CPU time per operation in microseconds, after warm-up. */
export async function cpuOf(act, times = 2_000) {
  for (let i = 0; i < times / 4; i++) await act(-1 - i)
  const before = process.cpuUsage()
  for (let i = 0; i < times; i++) await act(i)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

/** Wall time per operation in milliseconds. */
export async function wallOf(act, times = 30) {
  const taken = []
  for (let i = 0; i < times; i++) {
    const start = performance.now()
    await act(i)
    taken.push(performance.now() - start)
  }
  return median(taken)
}

/** A hundred at once: the total time, and how long the event loop was blocked meanwhile. */
export async function atOnce(act, count = 100) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  // It counts from its first tick, and an immediate block would come before that.
  await new Promise((resolve) => setTimeout(resolve, 20))
  const start = performance.now()
  await Promise.all(Array.from({ length: count }, (_, i) => act(i)))
  const wallMs = performance.now() - start
  // A block until the end is noticed only at the next turn of the loop.
  await new Promise((resolve) => setTimeout(resolve, 5))
  delay.disable()
  return { wallMs, longestPauseMs: delay.max / 1e6 }
}
