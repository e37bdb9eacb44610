import { median } from './median.mjs'

/** The median cost of `act(i)`, in milliseconds of CPU and wall time. The first calls are not counted, because they compile. */
export async function costOfCalls(act, samples = 9, warm = 3) {
  const cpu = []
  const wall = []
  for (let i = 0; i < samples + warm; i++) {
    const before = process.cpuUsage()
    const start = performance.now()
    await act(i)
    const ms = performance.now() - start
    const { user, system } = process.cpuUsage(before)
    if (i < warm) continue
    cpu.push((user + system) / 1000)
    wall.push(ms)
  }
  return { cpuMs: median(cpu), wallMs: median(wall) }
}
