/**
 * Watches the approval forms: records the decisions in them, and resumes the trees.
 *
 * 1. The cost of a check depends only on the sessions that wait for a person.
 * 2. While a command that could write forms is running, forms are ignored. They are read when it has ended.
 * 3. While another process runs a session, it may leave decisions in the forms. They are read when that process has ended.
 * 4. Per start of the daemon, every channel is notified once of each question and once of its decision.
 */

import type { Channel } from '@cadre/channels'
import { type Answer, sentenceOf } from '@cadre/core'
import { systemErrorCode } from '@cadre/disk'
import {
  type ApprovalRecord,
  type Approvals,
  countText,
  type Decided,
  type Voter,
  type Voters,
} from '@cadre/gate'
import { isUnsandboxedCommandRunning, readPlainFile, runningProcess } from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'

export interface ApprovalsDuty extends Duty {
  /** Marks sessions that started or stopped waiting for a person. They are checked with the next change. */
  asks(sessions: readonly string[]): void
  /** The pending approvals. */
  open(): readonly ApprovalRecord[]
  /** Resolves with `unknown` if the approval is not pending. */
  decide(id: string, answer: Answer, voter: Voter): Promise<Decided | 'unknown'>
  readonly voters: Voters
}

const form = 'tasks/approvals.task.md'
const pending = 'approvals/pending'
const votes = 'approvals/votes'

export function createApprovalsDuty(
  context: DaemonContext,
  { approvals, channels }: { readonly approvals: Approvals; readonly channels: () => readonly Channel[] },
): ApprovalsDuty {
  const { home, sessions, note, problems } = context
  /** Sessions that are known to wait for a person. */
  const asking = new Set<string>()
  const open = new Map<string, ApprovalRecord>()
  let isLate = false
  /** The trees with pending approvals that another process was running at the last check. */
  let elsewhere = new Set<string>()

  const isElsewhere = (root: string) => {
    const owner = runningProcess(home, root)
    return owner !== undefined && owner.pid !== process.pid
  }
  const treesElsewhere = () =>
    [...new Set([...open.values()].map(({ root }) => root))].filter((root) => isElsewhere(root))
  const tellChannels = (what: 'asked' | 'settled', record: ApprovalRecord) => {
    for (const channel of channels()) {
      channel[what]?.(record).then(
        () => problems.report(what, `[${channel.name}]`, []),
        (error) =>
          problems.report(what, `[${channel.name}]`, [
            {
              severity: 'warning',
              message: `Cannot send approval ${record.id} to this channel: ${sentenceOf(error)}`,
            },
          ]),
      )
    }
  }
  /** Reports that forms cannot be written, because people would not find the questions. */
  const checkForm = () => {
    try {
      readPlainFile(home.at(form))
      problems.report('approvals', form, [])
    } catch (error) {
      const message = `Cannot write pending approvals to this file: ${sentenceOf(error)} List them with "cadre approvals".`
      problems.report('approvals', form, [{ severity: 'error', message }])
    }
  }
  const look = async () => {
    checkForm()
    isLate = isUnsandboxedCommandRunning(home)
    // Trees that are released during this check are checked again.
    const owned = treesElsewhere()
    elsewhere = new Set(owned)
    if (isLate || (asking.size === 0 && open.size === 0)) return
    const told = [...asking]
    const of = [...new Set([...told, ...[...open.values()].map(({ session }) => session)])]
    // Sessions that are marked from here on are checked the next time.
    asking.clear()
    let records: readonly ApprovalRecord[]
    try {
      records = await approvals.list({ sessions: of, all: true })
    } catch (error) {
      for (const session of of) asking.add(session)
      throw error
    }
    const roots = new Set<string>()
    for (const record of records) {
      const { id, status, session } = record
      if (status === 'pending') {
        asking.add(session)
        const before = open.get(id)
        if (before === undefined) asked(record)
        else if (countText(before) !== countText(record)) voted(record)
        open.set(id, record)
      } else if (open.delete(id)) {
        decided(record)
        roots.add(session)
      }
    }
    // A form may have had a decision before the first check.
    for (const session of told) if (!asking.has(session)) roots.add(session)
    const known = new Set(records.map(({ id }) => id))
    for (const [id, record] of [...open]) {
      if (known.has(id)) continue
      // Its session is gone, or its record was rewound.
      open.delete(id)
      tellChannels('settled', { ...record, status: 'withdrawn' })
    }
    elsewhere = new Set([...owned, ...treesElsewhere()])
    await resumeAll(roots)
  }
  const resumeAll = async (ids: Iterable<string>) => {
    const errors: unknown[] = []
    for (const session of ids) {
      try {
        await sessions.resume(session)
      } catch (error) {
        errors.push(error)
        // The session is not the cause, so the next check resumes it.
        if (systemErrorCode(error) !== undefined) asking.add(session)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
  const asked = (record: ApprovalRecord) => {
    const { id, session, agent, type } = record
    note({
      type: 'approval.asked',
      message: `${agent} asks for ${type}: ${id}`,
      approval: id,
      session,
      agent,
    })
    tellChannels('asked', record)
  }
  const voted = (record: ApprovalRecord) => {
    const { id, session } = record
    const message = `${id} has approvals: ${countText(record) ?? ''}`
    note({ type: 'approval.voted', message, approval: id, session })
  }
  const decided = (record: ApprovalRecord) => {
    const { id, session, status, decision } = record
    const by = decision?.by === undefined ? '' : ` by ${decision.by}`
    note({ type: 'approval.decided', message: `${id} was ${status}${by}`, approval: id, session, status })
    tellChannels('settled', record)
  }

  return {
    name: 'approvals',
    folders: ['tasks', pending, votes],
    start: look,
    async changed(files) {
      const isForm = (file: string) =>
        file === form || file.startsWith(`${pending}/`) || file.startsWith(`${votes}/`)
      if (files.some(isForm)) await look()
    },
    async tick() {
      if (isLate || [...elsewhere].some((root) => !isElsewhere(root))) await look()
    },
    asks: (ids) => {
      for (const id of ids) asking.add(id)
    },
    open: () => [...open.values()].sort((a, b) => (a.created < b.created ? -1 : 1)),
    voters: approvals.voters,
    async decide(id, answer, voter) {
      const record = open.get(id)
      if (record === undefined) return 'unknown'
      const counted = await approvals.decide(record, answer, voter)
      if (counted.kind === 'voted') {
        open.set(id, counted.record)
        voted(counted.record)
      } else await sessions.resume(record.session)
      return counted
    },
  }
}
