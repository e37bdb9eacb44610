import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { currentUser } from '@cadre/disk'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { seed } from './seed.ts'
import { sweep } from './sweep.ts'
import {
  type End,
  effectsOf,
  inFreshFolder,
  inFreshHome,
  inParallel,
  type Play,
  victimsOf,
} from './victims.ts'

const victims = victimsOf('votes')

/** Ann is the system user of this test. She votes in a form; Bob uses the command; Carol does not vote. */
function writePeople(home: string): void {
  mkdirSync(join(home, 'storage'), { recursive: true })
  writeFileSync(
    join(home, 'storage', 'people.yaml'),
    `people:
  - { name: ann, roles: [approver], system: "${currentUser()}" }
  - { name: bob, roles: [approver], slack: U2 }
  - { name: carol, roles: [approver], slack: U3 }
`,
    { mode: 0o600 },
  )
}

type Step = (home: string, play: Play) => Promise<unknown>

const annInTask: Step = async (home) => {
  const file = join(home, 'tasks', 'approvals.task.md')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  // Only while the approval is pending: she does not change a decided one.
  if (/^- \[_\] A @human.*\n(?: {2}.*\n)*? {2}question: approval\//m.test(text))
    writeFileSync(file, text.replace('- [_] A @human', '- [x] A @human'))
}
const annInFile: Step = async (home) => {
  const folder = join(home, 'approvals', 'pending')
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const text = readFileSync(join(folder, name), 'utf8')
    if (name.startsWith('approval-') && text.includes('question: approval/'))
      writeFileSync(join(folder, name), text.replace('**Decision:** <!--', '**Decision:** APPROVED <!--'))
  }
}
const bob: Step = (home, play) => play(home, ['approve', 'bob'])
const count: Step = (home, play) => play(home, ['list'])

interface Case {
  readonly name: string
  readonly before: readonly Step[]
  /** What is killed. */
  readonly args: readonly string[]
  /** What people still do after the crash. */
  readonly after: readonly Step[]
}

const cases: readonly Case[] = [
  {
    name: "while it counts Ann's vote in the task, before Bob votes",
    before: [annInTask],
    args: ['list'],
    after: [bob],
  },
  {
    name: "while it counts Ann's vote in the file, after Bob has voted",
    before: [bob, annInFile],
    args: ['list'],
    after: [],
  },
  {
    name: "during Bob's command, with Ann's votes in both forms",
    before: [annInTask, annInFile],
    args: ['approve', 'bob'],
    after: [bob],
  },
  {
    name: "while the run counts Ann's vote and continues",
    before: [bob, annInTask],
    args: ['resume'],
    after: [],
  },
]

test.each(cases)('killed at every point $name: counted once each, decided once, run once', async (one) => {
  await inFreshFolder(async (prepared) => {
    const start = join(prepared, 'home')
    mkdirSync(start)
    writePeople(start)
    await victims.here(start, ['run'])
    for (const step of one.before) await step(start, victims.here)
    const { points, killed, faults } = await sweep(victims, {
      prepared,
      args: one.args,
      async check(home, play, at) {
        for (const step of one.after) await step(home, play)
        // At every second point, both repeat themselves. That must change nothing.
        for (const step of at % 2 === 0 ? [] : [annInTask, annInFile, count, bob]) await step(home, play)
        return [...faultsOfEnd(await finish(home, play)), ...faultsOf(home)]
      },
    })
    console.log(`seed ${seed}: ${one.args.join(' ')}: ${points} points, ${killed} killed a process as well`)
    expect(faults).toEqual([])
    expect(points).toBeGreaterThan(10)
  })
})

test('two processes count votes of two people at the same moment: once each', async () => {
  const faults: string[] = []
  const orders: readonly (readonly Step[])[] = [
    [bob, count],
    [count, bob],
    [bob, bob, count],
    [bob, (home, play) => play(home, ['resume'])],
  ]
  await inParallel(
    Array.from({ length: 16 }, (_, round) => round),
    2,
    (round) =>
      inFreshHome(async (home) => {
        writePeople(home)
        await victims.here(home, ['run'])
        await (round % 2 === 0 ? annInTask : annInFile)(home, victims.here)
        const steps = orders[Math.floor(round / 2) % orders.length] ?? []
        await Promise.all(steps.map((step) => step(home, victims.alone)))
        const end = await finish(home, victims.here)
        faults.push(...[...faultsOfEnd(end), ...faultsOf(home)].map((fault) => `round ${round}: ${fault}`))
      }),
  )
  expect(faults).toEqual([])
})

async function finish(home: string, play: Play): Promise<End> {
  for (let tries = 0; tries < 8; tries++) {
    const end = await play(home, ['resume'])
    if (end.kind === 'report') return end
    const decision = effectsOf(home).includes('launch rocket') ? 'done' : 'again'
    for (const question of openDoubts(home)) await play(home, ['answer', question, decision])
  }
  return { kind: 'still waiting for a person' }
}

function faultsOfEnd(end: End): string[] {
  return end.report?.text === 'everything is settled' ? [] : [JSON.stringify(end)]
}

interface Event {
  readonly type?: string
  readonly name?: string
  readonly kind?: string
  readonly by?: string
  readonly decision?: string
}

function eventsOf(home: string): readonly Event[] {
  const file = join(home, 'sessions', 'lead-1.session.yaml')
  const journal = parse(readFileSync(file, 'utf8')) as { readonly messages?: readonly Event[] } | null
  return journal?.messages ?? []
}

function openDoubts(home: string): string[] {
  const events = eventsOf(home)
  const answered = events.flatMap(({ type, name }) => (type === 'person.answered' ? [name] : []))
  return events.flatMap(({ type, name, kind }) =>
    type === 'person.asked' && kind === 'doubt' && name !== undefined && !answered.includes(name)
      ? [name]
      : [],
  )
}

function faultsOf(home: string): string[] {
  const events = eventsOf(home)
  const about = (type: string) =>
    events.filter((event) => event.type === type && event.name?.startsWith('approval/'))
  const voted = about('person.voted').map(({ by, decision }) => `${by} ${decision}`)
  const answered = about('person.answered').map(({ by, decision }) => `${by} ${decision}`)
  const effects = effectsOf(home)
  const folder = join(home, 'approvals', 'votes')
  const left = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
  return [
    ...(voted.toSorted().join() === 'ann approve,bob approve' ? [] : [`votes: ${voted.join()}`]),
    ...(/^(?:ann, bob|bob, ann) approve$/.test(answered.join()) ? [] : [`answers: ${answered.join()}`]),
    ...(effects.join() === 'launch rocket' ? [] : [`effects: ${effects.join()}`]),
    ...(left.length === 0 ? [] : [`left behind: ${left.join()}`]),
  ]
}
