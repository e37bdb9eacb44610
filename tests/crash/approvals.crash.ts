import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

const victims = victimsOf('approvals')

type Decide = (home: string, play: Play) => Promise<unknown>

const byTask =
  (marker: 'x' | '-'): Decide =>
  async (home) => {
    const file = join(home, 'tasks', 'approvals.task.md')
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    // A person decides each pending approval once.
    if (text.includes('- [_] A @human'))
      writeFileSync(file, text.replace('- [_] A @human', `- [${marker}] A @human`))
  }
const byFile =
  (word: string): Decide =>
  async (home) => {
    const folder = join(home, 'approvals', 'pending')
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      if (!/^approval-.*\.approval\.md$/.test(name)) continue
      const text = readFileSync(join(folder, name), 'utf8')
      writeFileSync(join(folder, name), text.replace('**Decision:** <!--', `**Decision:** ${word} <!--`))
    }
  }
const byCommand =
  (verb: 'approve' | 'reject'): Decide =>
  (home, play) =>
    play(home, [verb])

const once = ['launch rocket', '- [x] now', 'mark after', 'mark before'].sort()
const never = ['mark after', 'mark before']

test('killed at every point while asking, the question is asked once, and decided once', async () => {
  await sweepDecision({
    args: ['run'],
    async decide(home, play) {
      await settleDoubts(home, play)
      await byTask('x')(home, play)
    },
    wanted: once,
  })
})

test.each<[string, Decide, readonly string[]]>([
  ['an approval by the marker of the task', byTask('x'), once],
  ['an approval by the word in the file', byFile('APPROVED'), once],
  ['an approval by the command', byCommand('approve'), once],
  ['a rejection by the word in the file', byFile('REJECTED'), never],
  ['a rejection by the marker of the task', byTask('-'), never],
  ['a rejection by the command', byCommand('reject'), never],
])('killed at every point after %s, the effect happens exactly once, or never', async (_, decide, wanted) => {
  const prepare: Decide = async (home, play) => {
    await play(home, ['run'])
    await decide(home, play)
  }
  await sweepDecision({ prepare, args: ['resume'], decide, wanted })
})

test.each([
  ['approve', once],
  ['reject', never],
] as const)('killed at every point of the command %s, a repetition counts once', async (verb, wanted) => {
  const prepare: Decide = (home, play) => play(home, ['run'])
  await sweepDecision({ prepare, args: [verb], decide: byCommand(verb), wanted })
})

test('of concurrent decisions by two processes and two files, one applies and is carried out', async () => {
  const faults: string[] = []
  const seen = { approved: 0, rejected: 0 }
  const rounds = 28
  const edited = (edit: Decide): Decide => {
    return async (home, play) => {
      await edit(home, play)
      return play(home, ['resume'])
    }
  }
  const [approve, reject] = [byCommand('approve'), byCommand('reject')]
  const deciders: Decide[][] = [
    [approve, reject],
    [reject, edited(byTask('-')), edited(byFile('REJECTED'))],
    [edited(byTask('x')), reject],
    [approve, edited(byFile('REJECTED'))],
    [approve, edited(byTask('x')), edited(byFile('APPROVED')), approve],
    [reject, edited(byTask('x')), approve, edited(byFile('REJECTED'))],
    [edited(byFile('APPROVED')), reject, edited(byTask('x'))],
  ]
  await inParallel(
    Array.from({ length: rounds }, (_, round) => round),
    2,
    async (round) => {
      await inFreshHome(async (home) => {
        await victims.here(home, ['run'])
        const mine = deciders[round % deciders.length] ?? []
        const first = Math.floor(round / deciders.length) % mine.length
        const order = [...mine.slice(first), ...mine.slice(0, first)]
        await Promise.all(order.map((decide) => decide(home, victims.alone)))
        await finish(home, victims.here, async () => {})
        const { approvals = [] } = await victims.here(home, ['list'])
        const record = approvals.find(({ type }) => type !== 'in_doubt')
        if (record?.status === 'approved' || record?.status === 'rejected') seen[record.status] += 1
        const effects = effectsOf(home)
        const wanted = record?.status === 'approved' ? once : never
        if (effects.join() !== wanted.join())
          faults.push(`round ${round}: ${record?.status}, effects ${effects.join()}`)
        faults.push(...faultsOf(home, record?.status).map((fault) => `round ${round}: ${fault}`))
      })
    },
  )
  console.log(`decided at once: ${seen.approved} approved, ${seen.rejected} rejected`)
  expect(faults).toEqual([])
  expect(seen.approved + seen.rejected).toBe(rounds)
  // Some can end in only one way.
  expect(seen.approved).toBeGreaterThanOrEqual(rounds / deciders.length)
  expect(seen.rejected).toBeGreaterThanOrEqual(rounds / deciders.length)
})

interface Decision {
  /** Prepares the home for the victim. */
  readonly prepare?: Decide
  /** The arguments of the victim. */
  readonly args: readonly string[]
  readonly decide: Decide
  /** The expected effects. */
  readonly wanted: readonly string[]
}

/** Decides after a crash at each point, and checks the result. */
function sweepDecision({ prepare, args, decide, wanted }: Decision): Promise<void> {
  return inFreshFolder(async (prepared) => {
    mkdirSync(join(prepared, 'home'))
    await prepare?.(join(prepared, 'home'), victims.here)
    const { points, killed, faults } = await sweep(victims, {
      prepared,
      args,
      async check(home, play) {
        await decide(home, play)
        const end = await finish(home, play, decide)
        const effects = effectsOf(home)
        if (end.kind === 'never-started') return effects.map((effect) => `${effect} without a session`)
        await play(home, ['list'])
        return [
          ...(end.report?.text === 'everything is settled' ? [] : [JSON.stringify(end)]),
          ...(effects.join() === wanted.join() ? [] : [`effects ${effects.join()}`]),
          ...faultsOf(home, wanted === once ? 'approved' : 'rejected'),
        ]
      },
    })
    console.log(
      `seed ${seed}: ${args.join(' ')}: ${points} points, ${killed} of them killed a process as well`,
    )
    expect(faults).toEqual([])
    expect(points).toBeGreaterThan(20)
  })
}

/** Resumes until there is a report, and decides whenever something is pending. */
async function finish(home: string, play: Play, decide: Decide): Promise<End> {
  for (let tries = 0; tries < 8; tries++) {
    const end = await play(home, ['resume'])
    if (end.kind === 'report' || end.kind === 'never-started') return end
    await settleDoubts(home, play)
    await decide(home, play)
  }
  throw new Error('still waiting for a person')
}

/** Answers questions about calls in doubt according to their real effects. */
async function settleDoubts(home: string, play: Play): Promise<void> {
  const decision = effectsOf(home).includes('launch rocket') ? 'done' : 'again'
  for (const question of openDoubts(home)) await play(home, ['answer', question, decision])
}

interface Journal {
  readonly messages: readonly { type?: string; name?: string; kind?: string; decision?: string }[]
}

function journalOf(home: string): Journal {
  const file = join(home, 'sessions', 'lead-1.session.yaml')
  return existsSync(file) ? (parse(readFileSync(file, 'utf8')) ?? { messages: [] }) : { messages: [] }
}

function openDoubts(home: string): string[] {
  const messages = journalOf(home).messages ?? []
  const answered = messages.flatMap(({ type, name }) => (type === 'person.answered' ? [name] : []))
  return messages.flatMap(({ type, name, kind }) =>
    type === 'person.asked' && kind === 'doubt' && name !== undefined && !answered.includes(name)
      ? [name]
      : [],
  )
}

/** Checks that both forms match the journal for every question, once each. */
function faultsOf(home: string, status: string | undefined): string[] {
  const faults: string[] = []
  const { messages } = journalOf(home)
  const asked = new Set(messages.flatMap(({ type, name }) => (type === 'person.asked' && name ? [name] : [])))
  const answers = messages.filter(({ type }) => type === 'person.answered')
  for (const name of asked) {
    const count = answers.filter((answer) => answer.name === name).length
    if (count !== 1) faults.push(`${name} has ${count} answers`)
  }
  const [approval, ...others] = answers.filter(({ name }) => name?.startsWith('approval/'))
  if (others.length > 0) faults.push(`${others.length + 1} approvals`)
  if (status !== (approval?.decision === 'reject' ? 'rejected' : 'approved'))
    faults.push(`${status}, but the journal has ${approval?.decision}`)
  // A kill during the call also leaves a question about that call, which is always decided.
  const wanted = [...asked].map((name) => {
    const decided = name.startsWith('approval/') ? status : 'approved'
    return `[${decided === 'approved' ? 'x' : '-'}] ${name} ${decided}`
  })
  const tasks = tasksIn(home)
  const found = tasks.map((task) => `[${task.marker}] ${task.question} ${task.status}`)
  if (found.toSorted().join() !== wanted.toSorted().join())
    faults.push(`tasks: ${found.join()} instead of ${wanted.join()}`)
  const folder = (name: string) => {
    const at = join(home, 'approvals', name)
    return existsSync(at) ? readdirSync(at).map((file) => `${name}/${file}`) : []
  }
  const files = ['pending', 'approved', 'rejected'].flatMap(folder)
  const forms = files.filter((file) => file.includes('/approval-'))
  const named = tasks.map((task) => `${task.status}/${task.id}.approval.md`)
  if (forms.toSorted().join() !== named.toSorted().join())
    faults.push(`files: ${forms.join()} instead of ${named.join()}`)
  const drafts = [...readdirSync(join(home, 'tasks')).map((file) => `tasks/${file}`), ...folder('pending')]
  const left = drafts.filter((file) => file.includes('/.'))
  if (left.length > 0) faults.push(`left behind: ${left.join()}`)
  return faults
}

interface AskedTask {
  readonly marker: string
  readonly id: string
  readonly question: string
  readonly status: string
}

/** The content of `approvals.task.md`, as a person reads it. */
function tasksIn(home: string): AskedTask[] {
  const text = readFileSync(join(home, 'tasks', 'approvals.task.md'), 'utf8')
  return [...text.matchAll(/^- \[(.)\] A @human.*\n((?: {2}.*\n|\n)*)/gm)].map(
    ([, marker = '', body = '']) => {
      const field = (name: string) => new RegExp(`^  ${name}: (.*)`, 'm').exec(body)?.[1] ?? 'none'
      return { marker, id: field('id'), question: field('question'), status: field('status') }
    },
  )
}
