import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { copyFolder } from './copy-folder.ts'
import { seed } from './seed.ts'
import { sweep } from './sweep.ts'
import { inFreshFolder, victimsOf } from './victims.ts'

const victims = victimsOf('tasks')

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

test('killed at any point, the tasks of a page end the same way, and no session is started or messaged twice', async () => {
  await inFreshFolder(async (prepared) => {
    mkdirSync(join(prepared, 'home', 'tasks'), { recursive: true })
    writeFileSync(join(prepared, 'home', 'tasks', 'plan.task.md'), page)
    const whole = await inFreshFolder(async (folder) => {
      copyFolder(prepared, folder)
      await victims.alone(join(folder, 'home'), [])
      return stateOf(join(folder, 'home'))
    })
    expect(whole.tasks).toContain('result: All of it is at an end.')
    expect(whole.tasks).toContain('skipped_because: three failed')
    let twice = 0
    const { points, killed, faults } = await sweep(victims, {
      prepared,
      args: [],
      async check(home, play, at) {
        // Sometimes a second kill at a nearby point, and then to the end.
        if (at % 14 === 0 && (await victims.killed(home, [], 40 + (at % 60))).kind === 'killed') twice += 1
        await play(home, [])
        const state = stateOf(home)
        return (['tasks', 'sessions', 'heard'] as const).flatMap((key) =>
          state[key] === whole[key] ? [] : [`${key} differ: ${state[key]}`],
        )
      },
    })
    console.log(
      `seed ${seed}: tasks: ${points} points, ${killed} of them killed a process as well, ${twice} died a second time`,
    )
    expect(faults).toEqual([])
    expect(points).toBeGreaterThan(300)
  })
})

/** The final state, without what differs each time: times, generated ids, hashes. */
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
