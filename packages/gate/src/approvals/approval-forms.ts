/**
 * Owns `tasks/approvals.task.md` and `approvals/`: the forms in which people see and decide approvals. The journals are the source of
 * truth, and Cadre can rebuild all forms from them.
 *
 * 1. Cadre's processes change the forms one at a time, under one lock. Each change applies to the current content.
 * 2. Text from people is never removed. A missing form is created again; a broken one is kept and reported.
 * 3. Cadre does not change the forms while a command is running that could change them too, so that it does not accept the command's
 *    changes.
 * 4. Every change can be repeated, or interrupted and redone, with the same result.
 */
import { existsSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import { type Answer, messageOf } from '@cadre/core'
import { namesIn } from '@cadre/disk'
import { editFile, type Home, isUnsandboxedCommandRunning, readPlainFile, withLock } from '@cadre/home'
import { fieldOf, readTasks } from '@cadre/tasks'
import {
  approvalFile,
  decideApprovalFile,
  readApprovalFile,
  reopenApprovalFile,
  settleApprovalFile,
} from './approval-file.ts'
import type { ApprovalRecord } from './approval-record.ts'
import {
  addApprovalTask,
  decideApprovalTask,
  hasUnreadVotes,
  readApprovalTask,
  reopenApprovalTask,
  settleApprovalTask,
} from './approval-task.ts'
import { readTextWithOwner } from './read-text-with-owner.ts'
import type { Reading } from './reading.ts'

export interface FormReading {
  /** The form's path, for messages. */
  readonly where: string
  readonly reading: Reading
}

/** A decision in a form, for an approval that needs several people. */
export interface FormVote {
  readonly where: string
  readonly answer: Answer
  /** The file's owner. Absent if other users may change the file, or if the system has no user ids. */
  readonly uid?: number
}

/** `left`: the decision remains in the form for another process. `note`: shown to the person in the form. */
export type TakeVoteResult = { readonly kind: 'taken'; readonly note?: string } | { readonly kind: 'left' }

export interface ApprovalForms {
  /**
   * Creates missing forms of pending approvals, updates the forms of decided ones, and moves their files to the right
   * folders. Returns false, without any changes, while a command is running that could write the forms: Cadre would
   * accept the command's changes.
   */
  update(records: readonly ApprovalRecord[]): Promise<boolean>
  /** Reads what the forms currently say. */
  read(record: ApprovalRecord): readonly FormReading[]
  /** Writes a decision to a form. Returns false if no form currently accepts it. */
  decide(record: ApprovalRecord, answer: Answer, at: string): Promise<boolean>
  /**
   * Collects the decisions from the forms of an approval that needs several people, so that the next person can use the forms. `take` must
   * store the vote before it returns. Does nothing while a command is running that could write the forms.
   */
  takeVotes(record: ApprovalRecord, take: (vote: FormVote) => TakeVoteResult): Promise<void>
  /** Sessions whose forms are pending, or were decided and not settled since. */
  openSessions(): readonly string[]
  /** All sessions that the forms mention. */
  allSessions(): readonly string[]
  /** The folders to watch for decisions. */
  readonly folders: readonly string[]
}

const places = ['pending', 'approved', 'rejected'] as const
type Place = (typeof places)[number]

export function createApprovalForms(home: Home, tell: (message: string) => void): ApprovalForms {
  const tasks = home.at('tasks', 'approvals.task.md')
  const folders = [home.at('tasks'), home.at('approvals', 'pending')]
  const fileAt = (place: Place, id: string) => home.at('approvals', place, `${id}.approval.md`)
  const placeOf = ({ id }: ApprovalRecord) => places.find((place) => existsSync(fileAt(place, id)))

  /** Handles each form separately, so that an unusable form does not block the other. */
  const attempt = <T>(where: string, work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      tell(`cannot write approvals to ${where}: ${messageOf(error)}`)
      return undefined
    }
  }
  const showFile = (record: ApprovalRecord) => {
    const pending = fileAt('pending', record.id)
    const place = placeOf(record)
    if (place === 'pending') {
      // Shows the votes so far. A form with an unread decision is not changed, because rewriting it would change its owner.
      if (record.need !== undefined)
        editFile(pending, (raw) =>
          raw === undefined || readApprovalFile(raw, record).kind !== 'none'
            ? undefined
            : reopenApprovalFile(raw, record),
        )
      return
    }
    home.folder('approvals', 'pending')
    // Moving a file by hand is not a decision.
    if (place !== undefined) renameSync(fileAt(place, record.id), pending)
    else editFile(pending, (raw) => (raw === undefined ? approvalFile(record) : undefined))
  }
  const settleFile = (record: ApprovalRecord) => {
    const place = placeOf(record)
    const target = record.status === 'approved' ? 'approved' : 'rejected'
    if (place === undefined) return
    const from = fileAt(place, record.id)
    editFile(from, (raw) => (raw === undefined ? undefined : settleApprovalFile(raw, record)))
    if (place === target) return
    home.folder('approvals', target)
    moveTo(from, fileAt(target, record.id))
  }
  const readForm = (where: string, read: (raw: string) => Reading): FormReading[] => {
    const raw = attempt(where, () => readPlainFile(where))
    return raw === undefined ? [] : [{ where, reading: read(raw) }]
  }
  const sessionsIn = (isWanted: (status: string | undefined) => boolean): string[] => {
    const raw = attempt(tasks, () => readPlainFile(tasks)) ?? ''
    return readTasks(raw).flatMap((task) => {
      const isApproval = fieldOf(task, 'type') === 'approval_request'
      const session = fieldOf(task, 'session')
      return isApproval && session !== undefined && isWanted(fieldOf(task, 'status')) ? [session] : []
    })
  }
  const pendingFiles = () =>
    namesIn(home.at('approvals', 'pending')).flatMap((name) => {
      if (!name.endsWith('.approval.md') || name.startsWith('.')) return []
      const file = home.at('approvals', 'pending', name)
      const session = /^session: (.+?)\r?$/m.exec(attempt(file, () => readPlainFile(file)) ?? '')?.[1]
      return session === undefined ? [] : [session]
    })

  return {
    async update(records) {
      if (records.length === 0) return true
      const isPending = ({ status }: ApprovalRecord) => status === 'pending'
      return withLock(home, 'approvals', () => {
        if (isUnsandboxedCommandRunning(home)) return false
        for (const folder of folders) removeDrafts(folder)
        attempt(tasks, () => {
          if (records.some(isPending)) home.folder('tasks')
          editFile(tasks, (raw) => {
            if (raw === undefined && !records.some(isPending)) return undefined
            requireText(raw ?? '')
            if (
              raw !== undefined &&
              hasUnreadVotes(raw) &&
              readTextWithOwner(tasks)?.uid !== process.getuid?.()
            )
              throw new Error(
                'another user has voted in this form, and Cadre has not read the vote yet. Run: cadre approvals',
              )
            return records.reduce(
              (text, record) =>
                isPending(record)
                  ? (addApprovalTask(text, record) ?? shownVotes(text, record))
                  : settleApprovalTask(text, record),
              raw ?? '',
            )
          })
        })
        for (const record of records)
          attempt(fileAt('pending', record.id), () =>
            isPending(record) ? showFile(record) : settleFile(record),
          )
        return true
      })
    },
    read: (record) => [
      ...readForm(tasks, (raw) => readApprovalTask(raw, record)),
      ...readForm(fileAt('pending', record.id), (raw) => readApprovalFile(raw, record)),
    ],
    async decide(record, answer, at) {
      const file = fileAt('pending', record.id)
      return withLock(home, 'approvals', () => {
        if (isUnsandboxedCommandRunning(home)) return false
        const write = (where: string, decide: typeof decideApprovalTask) => {
          let isWritten = false
          attempt(where, () =>
            editFile(where, (raw) => {
              const text = raw === undefined ? undefined : decide(raw, record, answer, at)
              isWritten = text !== undefined
              return text
            }),
          )
          return isWritten
        }
        return write(tasks, decideApprovalTask) || write(file, decideApprovalFile)
      })
    },
    async takeVotes(record, take) {
      const forms = [
        { where: tasks, read: readApprovalTask, reopen: reopenApprovalTask },
        { where: fileAt('pending', record.id), read: readApprovalFile, reopen: reopenApprovalFile },
      ]
      await withLock(home, 'approvals', () => {
        if (isUnsandboxedCommandRunning(home)) return
        for (const { where, read, reopen } of forms)
          attempt(where, () => {
            const taken = new Map<string, TakeVoteResult>()
            editFile(where, (raw) => {
              const owned = raw === undefined ? undefined : readTextWithOwner(where)
              // The form has just changed. The watcher reports the change, and the form is read again.
              if (raw === undefined || owned?.raw !== raw) return undefined
              const reading = read(raw, record)
              if (reading.kind !== 'decided') return undefined
              const { answer } = reading
              const { uid } = owned
              // Each decision is collected once, even if the file changes meanwhile and is read again.
              const key = JSON.stringify([uid, answer])
              const vote = taken.get(key) ?? take({ where, answer, ...(uid !== undefined && { uid }) })
              taken.set(key, vote)
              return vote.kind === 'left' ? undefined : reopen(raw, record, vote.note)
            })
          })
      })
    },
    openSessions: () => [
      ...new Set([
        ...sessionsIn((status) => !/^(?:approved|rejected|withdrawn)$/.test(status ?? '')),
        ...pendingFiles(),
      ]),
    ],
    allSessions: () => [...new Set([...sessionsIn(() => true), ...pendingFiles()])],
    folders,
  }
}

/** A task with an unread decision is not changed, because rewriting its file could change the owner. */
function shownVotes(raw: string, record: ApprovalRecord): string {
  const isOpen = record.need !== undefined && readApprovalTask(raw, record).kind === 'none'
  return isOpen ? (reopenApprovalTask(raw, record) ?? raw) : raw
}

/** Never overwrites: an existing file keeps its name, unless it is an identical file that a killed process left. */
function moveTo(from: string, to: string): void {
  for (let number = 1; ; number++) {
    const target = number === 1 ? to : to.replace(/\.approval\.md$/, `.${number}.approval.md`)
    if (existsSync(target)) {
      if (readPlainFile(target) !== readPlainFile(from)) continue
      unlinkSync(from)
    } else renameSync(from, target)
    return
  }
}

/** Only the process that holds the lock writes drafts, so existing drafts come from a killed process. */
function removeDrafts(folder: string): void {
  for (const name of namesIn(folder))
    if (/^\.approval.*\.md\.\d+\.tmp$/.test(name)) rmSync(path.join(folder, name), { force: true })
}

/** Cadre's lines would damage a file in another encoding. */
function requireText(raw: string): void {
  if (raw.includes('\0')) throw new Error('the file is not UTF-8 text. Save it as UTF-8')
}
