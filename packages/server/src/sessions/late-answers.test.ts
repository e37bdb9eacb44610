import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { defineTool, object, type Rule, string, type Tool } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { createFileEngine } from '@cadre/journal'
import { call, type Line, say } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  holdTool,
  sessionText,
  template,
  temporaryHome,
  testDaemon,
  until,
  writeEntry,
} from '../daemon/daemon.spec-helpers.ts'
import type { PageDuty } from '../daemon/page-duty.ts'
import type { PageParts } from '../daemon/page-parts.ts'
import type { DaemonContext } from '../daemon-context.ts'

const report = call(['reportOut', { report: 'fine' }])
const deploy = (what: string) => call(['deploy', { what }])
const delegate = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }] as const

/** Delegates to two children, and finishes. A message makes the first ask, and the second call a tool that waits. */
const finished: Readonly<Record<string, readonly Line[]>> = {
  lead: [call(delegate('asker'), delegate('holder')), say('the run is over')],
  asker: [report, deploy('kite'), report],
  holder: [report, call(['hold', {}]), report],
}
/** Like `finished`, but the run itself then waits for a person. */
const waiting = {
  ...finished,
  lead: [call(delegate('asker'), delegate('holder')), deploy('rocket'), say('end')],
}

/** A home with the team of `lanes`, and daemons on it, one after the other. */
function place(lanes: Readonly<Record<string, readonly Line[]>>) {
  const { home, workspace } = temporaryHome()
  for (const name of Object.keys(lanes)) template(home, name)
  const deployed: string[] = []
  const tool = defineTool({
    name: 'deploy',
    description: 'Deploys',
    class: 'execute',
    effect: 'execute',
    input: object({ what: string('What') }),
    async run({ what }) {
      deployed.push(what)
      return { content: 'deployed' }
    },
  }) as unknown as Tool
  const asks: Rule = {
    by: 'policy',
    name: 'ask',
    judge: ({ tool: { name } }: { tool: Tool }) =>
      name === 'deploy'
        ? { kind: 'ask', by: 'policy', rule: 'ask', reason: 'it deploys' }
        : { kind: 'allow', by: 'policy', rule: 'rest' },
  } as unknown as Rule
  const hold = holdTool()
  const open = async () => {
    let context: DaemonContext | undefined
    let parts: PageParts | undefined
    const daemon = testDaemon(home, workspace, {
      lanes,
      tools: [tool, hold.tool],
      rules: [asks],
      duties: (given) => {
        context = given
        return []
      },
      page: (given) => {
        parts = given
        return noPage
      },
    })
    await daemon.start()
    if (context === undefined || parts === undefined) throw new Error('unreachable: the daemon has started')
    const { sessions } = context
    const { decide } = parts
    return {
      daemon,
      sessions,
      idOf: async (agent: string) => {
        const found = (await daemon.engine().list()).find((one) => one.agent === agent)
        return found?.id ?? ''
      },
      pending: (session: string) => daemon.approvals().read({ sessions: [session] }),
      async approveOnPage(session: string) {
        const [record] = await daemon.approvals().read({ sessions: [session] })
        if (record === undefined) throw new Error(`${session} does not ask`)
        const caller = { by: 'ann', roles: ['approver'], login: 'ann', via: 'page' } as const
        return decide(record, { decision: 'approve', by: 'ann' }, caller)
      },
      /** Resolves when the duties have seen all changes so far, also of files. */
      async settled() {
        await pause(150)
        await daemon.idle()
      },
      isQuiet() {
        const { running, queued } = daemon.status().sessions
        return running.length + queued.length === 0
      },
    }
  }
  const form = home.at('tasks', 'approvals.task.md')
  return {
    home,
    deployed,
    hold,
    open,
    approveInFile(session: string) {
      const parts = readFileSync(form, 'utf8').split(/(?=^- \[)/m)
      const changed = parts.map((part) =>
        part.includes(`session: ${session}\n`) ? part.replace('- [_]', '- [x]') : part,
      )
      writeFileSync(form, changed.join(''))
    },
  }
}

const noPage: PageDuty = {
  name: 'page',
  folders: [],
  address: undefined,
  start: async () => {},
  changed: async () => {},
  take: () => {},
  isWatched: () => false,
  show: () => {},
  noted: () => {},
}

type Opened = Awaited<ReturnType<ReturnType<typeof place>['open']>>

/** Runs the team, and wakes the asker until it asks. */
async function wakeAsker({ daemon, sessions, idOf, pending, isQuiet }: Opened) {
  await sessions.start({ id: 'lead-1', agent: 'lead', work: { content: 'go' } })
  await until(async () => {
    const state = await sessions.state('lead-1')
    return state.kind === 'ended' || state.kind === 'waiting'
  })
  await until(isQuiet)
  const asker = await idOf('asker')
  const holder = await idOf('holder')
  await sessions.tell(asker, { content: 'once more', message: 'm/1' })
  await until(async () => (await pending(asker)).length === 1)
  await until(() => daemon.status().approvals.some(({ session }) => session === asker))
  await until(isQuiet)
  return { asker, holder }
}

/** Then also wakes the holder until it holds. */
async function wakeBoth(life: Opened, hold: { waiting(): number }) {
  const { asker, holder } = await wakeAsker(life)
  await life.sessions.tell(holder, { content: 'once more', message: 'm/2' })
  await until(() => hold.waiting() === 1)
  return { asker, holder }
}

const ways = [
  {
    way: 'on the page',
    decide: (_at: ReturnType<typeof place>, by: Opened, id: string) => by.approveOnPage(id),
  },
  {
    way: 'in a file',
    decide: async (at: ReturnType<typeof place>, by: Opened, id: string) => {
      at.approveInFile(id)
      await until(async () => (await by.pending(id)).length === 0)
    },
  },
]

test('an approval on the page of a child whose run still works has its effect when the run waits', async () => {
  const at = place({
    lead: [call(delegate('asker'), delegate('holder')), say('the run is over')],
    asker: [deploy('kite'), report],
    holder: [call(['hold', {}]), report],
  })
  const life = await at.open()
  await life.sessions.start({ id: 'lead-1', agent: 'lead', work: { content: 'go' } })
  await until(() => at.hold.waiting() === 1)
  const asker = await until(() => life.idOf('asker'))
  await until(async () => (await life.daemon.engine().read(asker))?.status === 'sleeping')
  await life.approveOnPage(asker)
  await life.settled()
  at.hold.letGo()
  await until(async () => (await life.sessions.state('lead-1')).kind === 'ended')
  expect(at.deployed).toEqual(['kite'])
})

test('approvals of several children while another one runs continue all of them', async () => {
  const at = place({
    ...finished,
    lead: [call(delegate('asker'), delegate('critic'), delegate('holder')), say('the run is over')],
    critic: [report, deploy('rocket'), report],
  })
  const life = await at.open()
  const { sessions } = life
  await sessions.start({ id: 'lead-1', agent: 'lead', work: { content: 'go' } })
  await until(async () => (await sessions.state('lead-1')).kind === 'ended')
  await until(life.isQuiet)
  const [asker, critic, holder] = [
    await life.idOf('asker'),
    await life.idOf('critic'),
    await life.idOf('holder'),
  ]
  for (const id of [asker, critic]) {
    await sessions.tell(id, { content: 'once more', message: `m/${id}` })
    await until(async () => (await life.pending(id)).length === 1)
    await until(life.isQuiet)
  }
  await sessions.tell(holder, { content: 'once more', message: 'm/holder' })
  await until(() => at.hold.waiting() === 1)
  await life.approveOnPage(asker)
  await life.approveOnPage(critic)
  await life.settled()
  at.hold.letGo()
  for (const id of [asker, critic, holder])
    await until(async () => (await sessions.state(id)).kind === 'ended')
  await until(life.isQuiet)
  expect(at.deployed.toSorted()).toEqual(['kite', 'rocket'])
})

test('an approval while another process runs the tree has its effect when that process lets go', async () => {
  const at = place(finished)
  const life = await at.open()
  const { asker } = await wakeAsker(life)
  await life.daemon.engine().released()
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  onTestFinished(() => void other.kill('SIGKILL'))
  const identity = { pid: other.pid ?? 0 }
  const engine = await createFileEngine({ home: at.home, clock: systemClock, identity })
  await engine.hold('lead-1')
  expect(await life.approveOnPage(asker)).toMatchObject({ kind: 'written' })
  await life.settled()
  expect(await life.pending(asker)).toHaveLength(1)
  engine.letGo('lead-1')
  await engine.close()
  await until(async () => (await life.sessions.state(asker)).kind === 'ended')
  await until(life.isQuiet)
  expect(at.deployed).toEqual(['kite'])
})

test('a message in the file of a child while another child runs continues the child', async () => {
  const at = place({ ...finished, asker: [report, report] })
  const life = await at.open()
  const { sessions } = life
  await sessions.start({ id: 'lead-1', agent: 'lead', work: { content: 'go' } })
  await until(async () => (await sessions.state('lead-1')).kind === 'ended')
  await until(life.isQuiet)
  await sessions.tell(await life.idOf('holder'), { content: 'once more', message: 'm/1' })
  await until(() => at.hold.waiting() === 1)
  const asker = await life.idOf('asker')
  const heard = life.daemon.models.requests.length
  writeEntry(at.home, asker, 'once more')
  await life.settled()
  expect(life.daemon.models.requests).toHaveLength(heard)
  at.hold.letGo()
  await until(() => sessionText(at.home, asker).match(/session.ended/g)?.length === 2)
})

describe.each([
  { title: 'has finished', lanes: finished },
  { title: 'waits for a person', lanes: waiting },
])('below a run that $title', ({ lanes }) => {
  test.each(ways)(
    'an approval $way while another child runs continues the child that asked',
    async ({ decide }) => {
      const at = place(lanes)
      const life = await at.open()
      const { asker, holder } = await wakeBoth(life, at.hold)
      await decide(at, life, asker)
      await life.settled()
      at.hold.letGo()
      await until(async () => (await life.sessions.state(asker)).kind === 'ended')
      await until(life.isQuiet)
      expect(at.deployed).toEqual(['kite'])
      expect(await life.sessions.state(holder)).toMatchObject({ kind: 'ended', outcome: 'completed' })
    },
  )

  test('an approval while another child runs has its effect after a restart', async () => {
    const at = place(lanes)
    const life = await at.open()
    const { asker, holder } = await wakeBoth(life, at.hold)
    await life.approveOnPage(asker)
    await life.settled()
    const stopped = life.daemon.stop()
    at.hold.letGo()
    await stopped
    expect(at.deployed).toEqual([])
    const next = await at.open()
    await until(async () => (await next.sessions.state(asker)).kind === 'ended')
    await until(async () => (await next.sessions.state(holder)).kind === 'ended')
    await until(next.isQuiet)
    expect(at.deployed).toEqual(['kite'])
  })

  test('an approval and a change of the configuration continue both children', async () => {
    const at = place(lanes)
    const life = await at.open()
    const { asker, holder } = await wakeBoth(life, at.hold)
    await life.approveOnPage(asker)
    await life.settled()
    writeFileSync(at.home.at('config.yaml'), '# changed\n')
    await until(() => life.daemon.status().configurationPending === true)
    at.hold.letGo()
    await until(async () => (await life.sessions.state(asker)).kind === 'ended')
    await until(async () => (await life.sessions.state(holder)).kind === 'ended')
    await until(life.isQuiet)
    expect(at.deployed).toEqual(['kite'])
  })
})
