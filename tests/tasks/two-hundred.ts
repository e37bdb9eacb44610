import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const workers = Array.from({ length: 8 }, (_, number) => `worker-${number + 1}`)

export interface PlannedTask {
  readonly id: string
  readonly dependsOn: readonly string[]
}

/** Pseudo-random numbers, the same for the same seed. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Writes tasks with random dependencies, across five files and all workers, some of them nested. */
export function writeTasks(
  folder: string,
  count: number,
  random: (below: number) => number,
): readonly PlannedTask[] {
  const tasks = Array.from({ length: count }, (_, number): PlannedTask => {
    const wanted = Array.from({ length: random(4) }, () => (number === 0 ? '' : `job-${random(number)}`))
    return { id: `job-${number}`, dependsOn: [...new Set(wanted)].filter((id) => id !== '') }
  })
  const files = new Map<string, string[]>()
  for (const { id, dependsOn } of tasks.toSorted(() => random(3) - 1)) {
    const file = `part-${random(5)}.task.md`
    const lines = files.get(file) ?? [`# Notes of a person`, '', '## TODO', '']
    lines.push(`- [ ] ${'ABC'[random(3)]} @${workers[random(8)]} "Do ${id}"`, `  id: ${id}`)
    if (dependsOn.length > 0) lines.push(`  depends_on: ${dependsOn.join(', ')}`)
    files.set(file, lines)
  }
  mkdirSync(join(folder, 'tasks'), { recursive: true })
  for (const [file, lines] of files) writeFileSync(join(folder, 'tasks', file), `${lines.join('\n')}\n`)
  return tasks
}
