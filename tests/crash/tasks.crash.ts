import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { inFreshHome, inParallel, victim } from './victims.ts'

const run = victim('tasks-program.mjs')

const page = `# A plan

## TODO

- [ ] A @planner "Do it all"
  id: all
  - [ ] @worker "One"
    id: one
  - [ ] @worker "Two"
    id: two
    depends_on: one
- [ ] @broken "Three"
  id: three
- [ ] @worker "Four"
  id: four
  depends_on: three
- [ ] @worker "Without an id"
- [ ] @human "Decided long ago"
`.replace('[ ] @human', '[x] @human')

test('killed at any point, the tasks of a page come to the same end, and no session is begun or told twice', async () => {
  const whole = await inFreshHome(async (home) => {
    write(home)
    const { points } = await run(home, [])
    return { points, state: stateOf(home) }
  })
  expect(whole.state.tasks).toContain('result: All of it is at an end.')
  expect(whole.state.tasks).toContain('skipped_because: three failed')
  expect(whole.points).toBeGreaterThan(300)
  // Every point would take long; over several runs of the sweep all of them come up.
  const offset = Math.floor(Math.random() * 7)
  const points = Array.from({ length: Math.floor(whole.points / 7) }, (_, index) => index * 7 + offset + 1)
  const faults: string[] = []
  let killed = 0
  await inParallel(points, 3, async (at) => {
    await inFreshHome(async (home) => {
      write(home)
      const first = await run(home, [], at)
      if (first.kind === 'killed') {
        killed += 1
        // A second death at a point near the first, and then to the end.
        if (at % 2 === 0) await run(home, [], 40 + (at % 60))
        await run(home, [])
      }
      const state = stateOf(home)
      for (const key of ['tasks', 'sessions', 'heard'] as const)
        if (state[key] !== whole.state[key]) faults.push(`point ${at}: ${key} differ: ${state[key]}`)
    })
  })
  console.log(`killed at ${killed} of ${whole.points} points`)
  expect(faults).toEqual([])
  expect(killed).toBeGreaterThan(points.length * 0.9)
})

function write(home: string): void {
  mkdirSync(join(home, 'tasks'))
  writeFileSync(join(home, 'tasks', 'plan.task.md'), page)
}

/** How everything is in the end, without what differs each time: times, made-up ids, hashes. */
function stateOf(home: string): { tasks: string; sessions: string; heard: string } {
  const even = (text: string) => text.replace(/task-[0-9a-f]{8}/g, 'task-made')
  const tasks = readFileSync(join(home, 'tasks', 'plan.task.md'), 'utf8').replace(
    /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    'then',
  )
  const files = readdirSync(join(home, 'sessions')).sort()
  const heard = files.map((file) => {
    const { session_id: id, messages } = parse(readFileSync(join(home, 'sessions', file), 'utf8')) as {
      session_id: string
      messages: { role: string; message?: string }[]
    }
    const said = messages.flatMap(({ role, message }) => (role === 'user' ? [message] : []))
    return `${id}: ${said.join(' ')}`
  })
  return { tasks: even(tasks), sessions: even(files.join(' ')), heard: even(heard.join('\n')) }
}
