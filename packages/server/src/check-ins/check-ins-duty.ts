/**
 * Sends a planner the current state, at the interval in `storage/planner-checkin.yaml`.
 *
 * 1. That file records the last check-in, so a restart makes no difference. The first check only sets the start time.
 * 2. Each check-in has a number and is delivered once, even if the process dies. The next one waits until it is delivered.
 * 3. One check sends at most one check-in, even if the clock changes.
 */
import { messageOf, nameKey } from '@cadre/core'
import { rawOf, readRegularFile, textOf } from '@cadre/disk'
import { editFile } from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'
import { type CheckIn, readCheckIn, writeCheckIn } from './check-in-file.ts'

const file = 'storage/planner-checkin.yaml'

export interface CheckInState {
  readonly approvals: number
  readonly running: number
  readonly queued: number
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export function createCheckInsDuty(
  context: DaemonContext,
  { facts }: { readonly facts: () => CheckInState },
): Duty {
  const { home, sessions, engine, agents, problems, note } = context
  let settings: CheckIn | undefined

  const read = () => {
    settings = undefined
    let text: string
    try {
      text = readRegularFile(home.at('storage', 'planner-checkin.yaml')).toString('utf8')
    } catch (error) {
      const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT'
      problems.report('check-in', file, isAbsent ? [] : [{ severity: 'error', message: messageOf(error) }])
      return
    }
    const reading = readCheckIn(text)
    problems.report('check-in', file, reading.problems)
    settings = reading.checkIn
  }
  const write = (change: Partial<CheckIn>) => {
    if (settings !== undefined) settings = { ...settings, ...change }
    editFile(home.at('storage', 'planner-checkin.yaml'), (raw) =>
      raw === undefined ? undefined : rawOf(writeCheckIn(textOf(raw), change)),
    )
  }
  const planner = async (wanted: string | undefined): Promise<string | undefined> => {
    if (wanted !== undefined) return wanted
    const names = agents.list().flatMap(({ name, type }) => (type === 'planner' ? [nameKey(name)] : []))
    const all = (await engine.list()).filter(
      ({ agent, parent }) => parent === undefined && names.includes(nameKey(agent)),
    )
    return all.toSorted((a, b) => (a.created < b.created ? 1 : -1))[0]?.id
  }
  const checkIn = async ({ count, session: wanted }: CheckIn, now: number) => {
    const last = new Date(now).toISOString()
    const session = await planner(wanted)
    if (session === undefined) {
      write({ last, reason: 'there is no planner session' })
      return
    }
    // Do not pile up check-ins for a session that is busy for a long time.
    if ((await sessions.delivery(session, messageOfCheckIn(count))) === 'queued') {
      write({ last, reason: `${session} has not received check-in ${count} yet` })
      return
    }
    const number = count + 1
    const told = await sessions.tell(session, {
      content: contentOf(facts()),
      from: 'cadre',
      message: messageOfCheckIn(number),
    })
    if (told === 'missing') {
      write({ last, reason: `there is no session ${session}` })
      return
    }
    write({ last, count: number, reason: 'interval' })
    note({
      type: 'planner.checkedIn',
      message: `check-in ${number}: sent the status to ${session}`,
      session,
    })
  }

  return {
    name: 'check-ins',
    folders: ['storage'],
    async start() {
      read()
    },
    async changed(files) {
      if (files.includes(file)) read()
    },
    async tick(now) {
      if (settings === undefined || !settings.enabled) return
      const { last, interval } = settings
      const since = last === undefined ? Number.NaN : now - Date.parse(last)
      // Missing, invalid or in the future: start counting now.
      if (Number.isNaN(since) || since < 0) {
        write({ last: new Date(now).toISOString(), reason: 'baseline' })
        return
      }
      if (since < interval * 1000) return
      await checkIn(settings, now)
    },
  }
}

function messageOfCheckIn(number: number): string {
  return `checkin/${number}`
}

function contentOf({ approvals, running, queued, counts }: CheckInState): string {
  const duties = Object.entries(counts).map(([name, numbers]) => {
    const said = Object.entries(numbers).map(([what, number]) => `${number} ${what}`)
    return `${name}: ${said.join(', ') || 'nothing'}`
  })
  return [
    'Check-in. Current status:',
    ...duties.map((line) => `- ${line}`),
    `- sessions: ${running} running, ${queued} queued`,
    `- approvals: ${approvals} pending`,
    'Check whether anything needs your attention, and act on it. If nothing does, reply so in one sentence.',
  ].join('\n')
}
