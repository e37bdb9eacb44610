import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { type End, effectsOf, inFreshHome, inParallel, victim } from './victims.ts'

const run = victim('approvals-program.mjs')

type Decide = (home: string) => Promise<unknown>

const byTask =
  (marker: 'x' | '-'): Decide =>
  async (home) => {
    const file = join(home, 'tasks', 'approvals.task.md')
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    // A person decides what is there to decide, once.
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
  (home) =>
    run(home, [verb])

const once = ['launch rocket', '- [x] now', 'mark after', 'mark before'].sort()
const never = ['mark after', 'mark before']

test('killed at every point while it asks, the question is asked once, and decided once', async () => {
  await sweep(
    ['run'],
    async () => {},
    async (home) => {
      await settleDoubts(home)
      await byTask('x')(home)
    },
    once,
  )
}, 1_800_000)

// Every point where it can matter; where only the way of deciding differs, points all over.
test.each<[string, Decide, readonly string[], number]>([
  ['an approval by the marker of the task', byTask('x'), once, 1],
  ['an approval by the word in the file', byFile('APPROVED'), once, 5],
  ['an approval by the command', byCommand('approve'), once, 5],
  ['a rejection by the word in the file', byFile('REJECTED'), never, 1],
  ['a rejection by the marker of the task', byTask('-'), never, 5],
  ['a rejection by the command', byCommand('reject'), never, 5],
])(
  'killed after %s, the effect happens exactly once, or never',
  async (_, decide, wanted, stride) => {
    const prepare = async (home: string) => {
      await run(home, ['run'])
      await decide(home)
    }
    await sweep(['resume'], prepare, decide, wanted, stride)
  },
  1_800_000,
)

test.each([
  ['approve', once, 1],
  ['reject', never, 5],
] as const)(
  'killed at points of the command %s, given again it counts once',
  async (verb, wanted, stride) => {
    const prepare = async (home: string) => void (await run(home, ['run']))
    await sweep([verb], prepare, byCommand(verb), wanted, stride)
  },
  1_800_000,
)

test('decided by two processes and two files at once, in whatever order, one decision counts and is carried out', async () => {
  const faults: string[] = []
  const seen = { approved: 0, rejected: 0 }
  const rounds = 28
  const edited = (edit: Decide): Decide => {
    return async (home) => {
      await edit(home)
      return run(home, ['resume'])
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
        await run(home, ['run'])
        const mine = deciders[round % deciders.length] ?? []
        const first = Math.floor(round / deciders.length) % mine.length
        await Promise.all([...mine.slice(first), ...mine.slice(0, first)].map((decide) => decide(home)))
        await finish(home, async () => {})
        const [record] = (await run(home, ['list'])).approvals ?? []
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
  // Some can only end one way.
  expect(seen.approved).toBeGreaterThanOrEqual(rounds / deciders.length)
  expect(seen.rejected).toBeGreaterThanOrEqual(rounds / deciders.length)
}, 1_800_000)

/** Kills `victim` at each of its points, has somebody decide, and looks at what came of it. */
async function sweep(
  victim: readonly string[],
  prepare: Decide,
  decide: Decide,
  wanted: readonly string[],
  stride = 1,
): Promise<void> {
  const prepared = mkdtempSync(join(tmpdir(), 'cadre-approvals-'))
  onTestFinished(() => rmSync(prepared, { recursive: true, force: true }))
  mkdirSync(join(prepared, 'home'))
  await prepare(join(prepared, 'home'))
  const whole = await inCopyOf(prepared, (home) => run(home, victim))
  const every = Array.from({ length: whole.points }, (_, index) => index + 1)
  expect(every.length).toBeGreaterThan(20)
  const points = every.filter((at) => at % stride === 0)
  const faults: string[] = []
  let spared = 0
  await inParallel(points, 3, async (at) => {
    await inCopyOf(prepared, async (home) => {
      const killed = await run(home, victim, at)
      if (killed.kind !== 'killed') spared += 1
      await decide(home)
      const end = await finish(home, decide)
      const effects = effectsOf(home)
      if (end.kind === 'never-started') {
        if (effects.length > 0) faults.push(`point ${at}: effects without a session: ${effects}`)
        return
      }
      if (end.report?.text !== 'everything is settled') faults.push(`point ${at}: ${JSON.stringify(end)}`)
      if (effects.join() !== wanted.join()) faults.push(`point ${at}: effects ${effects.join()}`)
      await run(home, ['list'])
      const status = wanted === once ? 'approved' : 'rejected'
      faults.push(...faultsOf(home, status).map((fault) => `point ${at}: ${fault}`))
    })
  })
  console.log(`${victim.join(' ')}: killed at ${points.length - spared} of ${points.length} points`)
  expect(faults).toEqual([])
  expect(spared).toBeLessThan(points.length / 10)
}

/** Resumes until there is a report. Whoever decides does so whenever something waits. */
async function finish(home: string, decide: Decide): Promise<End> {
  for (let tries = 0; tries < 8; tries++) {
    const end = await run(home, ['resume'])
    if (end.kind === 'report' || end.kind === 'never-started') return end
    await settleDoubts(home)
    await decide(home)
  }
  throw new Error('still waiting for a person')
}

/** Tells of a call in doubt what the world knows of it. */
async function settleDoubts(home: string): Promise<void> {
  const decision = effectsOf(home).includes('launch rocket') ? 'done' : 'again'
  for (const question of openDoubts(home)) await run(home, ['answer', question, decision])
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

/** Whether both forms say what the journal says, once each. */
function faultsOf(home: string, status: string | undefined): string[] {
  const faults: string[] = []
  const answers = journalOf(home).messages.filter(
    ({ type, name }) => type === 'person.answered' && name?.startsWith('approval/'),
  )
  if (answers.length !== 1) faults.push(`${answers.length} answers`)
  if (status !== (answers[0]?.decision === 'reject' ? 'rejected' : 'approved'))
    faults.push(`${status}, but the journal has ${answers[0]?.decision}`)
  const tasks = readFileSync(join(home, 'tasks', 'approvals.task.md'), 'utf8')
  const heads = tasks.match(/^- \[.\] A @human/gm) ?? []
  const marker = status === 'approved' ? 'x' : '-'
  if (heads.join() !== `- [${marker}] A @human`) faults.push(`tasks: ${heads.join()}`)
  if (!tasks.includes(`  status: ${status}\n`)) faults.push('the task has another status')
  const place = (name: string) =>
    existsSync(join(home, 'approvals', name)) ? readdirSync(join(home, 'approvals', name)) : []
  const files = ['pending', 'approved', 'rejected'].flatMap((name) =>
    place(name)
      .filter((file) => file.startsWith('approval-'))
      .map((file) => `${name}/${file.replace(/\d.*\d/, '')}`),
  )
  const drafts = ['tasks', 'approvals/pending'].flatMap((name) =>
    readdirSync(join(home, name)).filter((file) => file.startsWith('.')),
  )
  if (drafts.length > 0) faults.push(`left behind: ${drafts.join()}`)
  if (files.length !== 1 || !files[0]?.startsWith(`${status}/`)) faults.push(`files: ${files.join()}`)
  return faults
}

/** A home as it was left: much faster than to come there again. */
function inCopyOf<T>(prepared: string, work: (home: string) => Promise<T>): Promise<T> {
  return inFreshHome((home) => {
    cpSync(prepared, join(home, '..'), { recursive: true })
    return work(home)
  })
}
