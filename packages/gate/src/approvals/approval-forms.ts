/**
 * Owns `tasks/approvals.task.md` and `approvals/`: the forms in which people see and decide. The journals are the truth, and
 * everything here can be made again from them.
 *
 * 1. Cadre's own processes change the forms one at a time, under one lock; each change is made to what is there at that time.
 * 2. Nothing that a person wrote is removed. A form that is missing is made again; one that is broken is left and told.
 * 3. Nothing is changed while a command runs that could change the forms as well: what it wrote must not become ours.
 * 4. Every change can be repeated, or broken off and made again, with the same result.
 */
import { existsSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import { type Answer, messageOf } from '@cadre/core'
import { namesIn } from '@cadre/disk'
import { editFile, type Home, isUnguarded, readPlainFile, withLock } from '@cadre/home'
import { fieldOf, readTasks } from '@cadre/tasks'
import { approvalFile, decideApprovalFile, readApprovalFile, settleApprovalFile } from './approval-file.ts'
import type { ApprovalRecord } from './approval-record.ts'
import { addApprovalTask, decideApprovalTask, readApprovalTask, settleApprovalTask } from './approval-task.ts'
import type { Reading } from './reading.ts'

export interface FormReading {
  /** For a person: which form. */
  readonly where: string
  readonly reading: Reading
}

export interface ApprovalForms {
  /**
   * Makes the forms that are not there of what waits, and brings those of what was decided in line, and their files to their
   * places. False, and nothing was done, while a command runs that could write them: what it put there would pass for ours.
   */
  update(records: readonly ApprovalRecord[]): Promise<boolean>
  /** What the forms say now. */
  read(record: ApprovalRecord): readonly FormReading[]
  /** Writes a decision into a form. False when no form can take it now. */
  decide(record: ApprovalRecord, answer: Answer, at: string): Promise<boolean>
  /** Sessions of which the forms say that something is open, or was, when nobody has put it in order since. */
  openSessions(): readonly string[]
  /** Sessions that ever asked for something, as far as the forms know. */
  allSessions(): readonly string[]
  /** Folders in which a decision appears. */
  readonly folders: readonly string[]
}

const places = ['pending', 'approved', 'rejected'] as const
type Place = (typeof places)[number]

export function createApprovalForms(home: Home, tell: (message: string) => void): ApprovalForms {
  const tasks = home.at('tasks', 'approvals.task.md')
  const folders = [home.at('tasks'), home.at('approvals', 'pending')]
  const fileAt = (place: Place, id: string) => home.at('approvals', place, `${id}.approval.md`)
  const placeOf = ({ id }: ApprovalRecord) => places.find((place) => existsSync(fileAt(place, id)))

  /** Each form by itself: one that cannot be used must not keep the other from being there. */
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
    if (place === 'pending') return
    home.folder('approvals', 'pending')
    // Whoever moves a file by hand has not decided anything.
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
        if (isUnguarded(home)) return false
        for (const folder of folders) removeDrafts(folder)
        attempt(tasks, () => {
          if (records.some(isPending)) home.folder('tasks')
          editFile(tasks, (raw) => {
            if (raw === undefined && !records.some(isPending)) return undefined
            requireText(raw ?? '')
            return records.reduce(
              (text, record) =>
                isPending(record)
                  ? (addApprovalTask(text, record) ?? text)
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
        if (isUnguarded(home)) return false
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

/** Nothing is overwritten: what has the name already keeps it, unless it is the same, left by a process that was killed. */
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

/** Whoever holds the lock is the only one who writes drafts: those that are there were left by a process that was killed. */
function removeDrafts(folder: string): void {
  for (const name of namesIn(folder))
    if (/^\.approval.*\.md\.\d+\.tmp$/.test(name)) rmSync(path.join(folder, name), { force: true })
}

/** In a file of another encoding our lines would be damage. */
function requireText(raw: string): void {
  if (raw.includes('\0')) throw new Error('it is not UTF-8 text. Save it as UTF-8')
}
