/** The first form of an approval: a task in `tasks/approvals.task.md`. These functions work on text and do no I/O. */
import { type Answer, isPermission } from '@cadre/core'
import type { RawText } from '@cadre/disk'
import { describeRequirement } from '@cadre/home'
import {
  applySplices,
  fieldOf,
  fieldSplice,
  insertTask,
  markerSplice,
  type NewField,
  readTasks,
  type Task,
} from '@cadre/tasks'
import { actionLines } from './approval-content.ts'
import { type ApprovalRecord, countText } from './approval-record.ts'
import { answerFor, isDoubt } from './decision-words.ts'
import { actionChanged, answerOf, noDecision, type Reading } from './reading.ts'
import { shownLine } from './shown-text.ts'

/** Returns the text with the approval added above the open tasks, or undefined if it already contains it. */
export function addApprovalTask(raw: RawText, record: ApprovalRecord): RawText | undefined {
  if (tasksOf(raw, record).length > 0) return undefined
  return insertTask(raw, taskLines(record))
}

/** Reads a person's decision from the text. Only the marker decides; fields add the name and the reason. */
export function readApprovalTask(raw: RawText, record: ApprovalRecord): Reading {
  const tasks = tasksOf(raw, record)
  const decided = tasks.filter(({ marker }) => decisionOf(marker) !== undefined)
  const [task] = decided
  if (task === undefined) return noDecision
  if (tasks.length > 1) {
    const lines = tasks.map(({ line }) => line).join(' and ')
    return { kind: 'unclear', why: `the approval is listed more than once, on lines ${lines}. Keep one` }
  }
  if (!isAbout(task, record)) return actionChanged
  if (record.need !== undefined && !isOpenVote(task))
    return {
      kind: 'unclear',
      why: 'someone changed the type, status or votes line of the task. Restore these lines',
    }
  const marked = decisionOf(task.marker) ?? 'reject'
  if (marked === 'reject') {
    const left = answerFor(record, 'reject')
    return { kind: 'decided', answer: answerOf(left, fieldOf(task, 'rejected_by'), reasonOf(task)) }
  }
  const decision = answerFor(record, 'approve', isWord(fieldOf(task, 'outcome'), 'done'))
  const isForSession =
    isWord(fieldOf(task, 'approved_for'), 'session') && record.choices.includes('approve-session')
  return {
    kind: 'decided',
    answer: answerOf(isForSession ? 'approve-session' : decision, fieldOf(task, 'approved_by'), undefined),
  }
}

function isWord(value: string | undefined, word: string): boolean {
  return value?.replace(/^(["'])(.*)\1$/, '$2').toLowerCase() === word
}

/** Returns the text with a decision added, as a person would write it, or undefined if the task was changed. */
export function decideApprovalTask(
  raw: RawText,
  record: ApprovalRecord,
  answer: Answer,
  at: string,
): RawText | undefined {
  const [task, second] = tasksOf(raw, record)
  if (task === undefined || second !== undefined || !isAbout(task, record)) return undefined
  const fields = decisionFields({ ...answer, at })
  return applySplices(raw, [
    ...markerSplice(task, isPermission(answer.decision) ? 'x' : '-'),
    ...fields.flatMap((field) => fillField(raw, task, field)),
  ])
}

/** Returns the text updated from the journal. Text from people is kept, with a note if their decision does not apply. */
export function settleApprovalTask(raw: RawText, record: ApprovalRecord): RawText {
  const { status, decision } = record
  if (status === 'pending') return raw
  const isApproved = status === 'approved'
  const marker = isApproved ? 'x' : '-'
  const splices = tasksOf(raw, record).flatMap((task) => {
    const said = decisionOf(task.marker)
    const isOther = said !== undefined && (said === 'approve') !== isApproved
    const note = isOther || isByAnother(task, record) ? [{ key: 'note', value: noteOf(task, record) }] : []
    const fields = decision === undefined ? [] : decisionFields(decision)
    return [
      ...(decisionOf(task.marker) === decisionOf(marker) ? [] : markerSplice(task, marker)),
      ...fieldSplice(raw, task, { key: 'status', value: status }),
      ...[...fields, ...note].flatMap((field) => fillField(raw, task, { ...field, after: 'status' })),
    ]
  })
  return applySplices(raw, splices)
}

/**
 * Returns the text with the task reopened and the votes so far, for an approval that needs several people, or undefined if it does not
 * contain the task.
 */
export function reopenApprovalTask(raw: RawText, record: ApprovalRecord, note?: string): RawText | undefined {
  const [task, second] = tasksOf(raw, record)
  const votes = countText(record)
  if (task === undefined || second !== undefined || votes === undefined) return undefined
  const fields = [
    { key: 'votes', value: votes, after: 'status' },
    ...(note === undefined ? [] : [{ key: 'note', value: note, after: 'status' }]),
  ]
  return applySplices(raw, [
    ...(decisionOf(task.marker) === undefined ? [] : markerSplice(task, '_')),
    ...fields.flatMap((field) => fieldSplice(raw, task, { ...field, value: shownField(field.value) })),
  ])
}

/** Whether a task that needs several people has a decision that Cadre has not read. */
export function hasUnreadVotes(raw: RawText): boolean {
  // Avoids parsing files without such tasks.
  if (!raw.includes('votes')) return false
  return readTasks(raw).some((task) => isOpenVote(task) && decisionOf(task.marker) !== undefined)
}

/**
 * Whether people can vote in a task. Only such a decision is read, because Cadre keeps its author by not rewriting the file. In a task
 * that does not look like one, somebody could leave a decision for the next user who rewrites the file.
 */
function isOpenVote(task: Task): boolean {
  return (
    fieldOf(task, 'type') === 'approval_request' &&
    fieldOf(task, 'votes') !== undefined &&
    fieldOf(task, 'status') === 'pending'
  )
}

function taskLines(record: ApprovalRecord): string[] {
  const { id, type, agent, session, call, question, created, risk, reasons } = record
  const votes = countText(record)
  const fields: [string, string][] = [
    ['id', id],
    ['type', 'approval_request'],
    ['approval_type', type],
    ['agent', agent],
    ['session', session],
    ['call', call],
    ['question', question],
    ['created', created],
    ['risk', risk ?? 'unknown'],
    ['status', 'pending'],
    ...(votes === undefined ? [] : ([['votes', votes]] as [string, string][])),
  ]
  const description = [
    ...(isDoubt(record)
      ? ['Interrupted call: the process ended before its result was recorded.']
      : [`Approval Request: ${shownLine(type)}`]),
    `Risk Level: ${risk ?? 'unknown'}`,
    ...(reasons.length > 0 ? ['Risk Factors:', ...reasons.map((reason) => `  - ${shownLine(reason)}`)] : []),
    `Asked because: ${shownLine(record.why)}`,
    ...(record.need === undefined ? [] : [`Needs: ${shownLine(describeRequirement(record.need))}`]),
    '',
    ...detailLines(record),
    '',
    ...(isDoubt(record) ? howToSettle(record) : howToDecide(record)),
  ]
  return [
    `- [_] A @human #approval \`${titleOf(record)}\``,
    ...fields.map(([key, value]) => `  ${key}: ${shownLine(value)}`),
    '  description: |',
    ...description.map((line) => (line === '' ? '' : `    ${line}`)),
  ]
}

function howToDecide({ id, choices, need }: ApprovalRecord): string[] {
  return [
    'To approve: change [_] to [x] in the first line of this task, and save.',
    need === undefined
      ? '  Optionally add approved_by: <your name>. Cadre adds it otherwise.'
      : '  Cadre counts your approval once, for your system user. Then it changes [x] back to [_] for the next person.',
    ...(choices.includes('approve-session')
      ? ['  Add approved_for: session to allow the same call for the rest of the session.']
      : []),
    `  Or: cadre approve ${id}`,
    'To reject: change [_] to [-], and save.',
    '  Add rejection_reason: <why>. The agent sees it.',
    `  Or: cadre reject ${id} --reason "<why>"`,
  ]
}

function howToSettle({ id }: ApprovalRecord): string[] {
  return [
    'Check whether the call took effect.',
    'If it did not take effect: change [_] to [x] in the first line of this task, and save. Cadre runs it again.',
    `  Or: cadre approve ${id}`,
    'If it took effect: add the line "outcome: done" below the first line, change [_] to [x], and save. Cadre does not run it again.',
    `  Or: cadre approve ${id} --done`,
    'If you cannot tell: change [_] to [-], and save. Cadre does not run it again, and the agent must check.',
    `  Or: cadre reject ${id}`,
  ]
}

/** The complete request. A decision below other lines is not valid. */
function detailLines(record: ApprovalRecord): string[] {
  return ['Details:', ...actionLines(record).map((line) => `  ${line}`)]
}

function titleOf({ type, action }: ApprovalRecord): string {
  if (type === 'terminal_command') return `Approve command: ${shownLine(action, 50)}`
  if (type === 'file_write') return `Approve file write: ${shownLine(action, 50)}`
  if (type === 'slack_send') return 'Approve Slack message'
  if (type === 'in_doubt') return `Approve another run: ${shownLine(action, 50)}`
  return `Approve ${shownLine(type, 50)}`
}

function tasksOf(raw: RawText, { id }: ApprovalRecord): Task[] {
  // Avoids parsing files that cannot contain the approval.
  if (!raw.includes(id)) return []
  if (lastRead?.raw !== raw) lastRead = { raw, byId: byId(readTasks(raw)) }
  return lastRead.byId.get(id) ?? []
}

/** Cached, because the same file is searched for each of its approvals, possibly hundreds. */
let lastRead: { readonly raw: RawText; readonly byId: ReadonlyMap<string, Task[]> } | undefined

function byId(tasks: readonly Task[]): Map<string, Task[]> {
  const found = new Map<string, Task[]>()
  for (const task of tasks) {
    const ids = new Set(task.fields.flatMap(({ key, value }) => (key === 'id' ? [value] : [])))
    for (const id of ids) found.set(id, [...(found.get(id) ?? []), task])
  }
  return found
}

function decisionOf(marker: string): 'approve' | 'reject' | undefined {
  if (marker === 'x' || marker === 'X') return 'approve'
  return marker === '-' ? 'reject' : undefined
}

/** True if the task still shows the action in the journal. */
function isAbout(task: Task, record: ApprovalRecord): boolean {
  const { id, session, question } = record
  const same = Object.entries({ id, session, question }).every(
    ([key, value]) => fieldOf(task, key) === shownLine(value),
  )
  const blocks = task.fields.filter(({ key }) => key === 'description')
  const block = blocks.length === 1 ? (blocks[0]?.block ?? []) : []
  const wanted = detailLines(record)
  const at = block.indexOf('Details:')
  return (
    same &&
    at !== -1 &&
    wanted.every((line, index) => block[at + index] === line) &&
    !block[at + wanted.length]
  )
}

function reasonOf(task: Task): string | undefined {
  const field = task.fields.find(({ key }) => key === 'rejection_reason' || key === 'reason')
  return field?.block?.join(' ') ?? field?.value
}

interface Decided extends Answer {
  readonly at: string
}

function decisionFields({ decision, by, reason, at }: Decided): NewField[] {
  const isApproved = isPermission(decision)
  const word = isApproved ? 'approved' : 'rejected'
  return [
    { key: `${word}_by`, value: by ?? 'an unknown user', after: 'status' },
    { key: `${word}_at`, value: at, after: 'status' },
    ...(decision === 'approve-session' ? [{ key: 'approved_for', value: 'session', after: 'status' }] : []),
    ...(decision === 'done' ? [{ key: 'outcome', value: 'done', after: 'status' }] : []),
    ...(isApproved || reason === undefined
      ? []
      : [{ key: 'rejection_reason', value: reason, after: 'status' }]),
  ]
}

/** Fills in a field only if it is empty, so that text from people is kept. */
function fillField(raw: RawText, task: Task, field: NewField) {
  const known = task.fields.find(({ key }) => key === field.key)
  return known === undefined || (known.value === '' && known.block === undefined)
    ? fieldSplice(raw, task, { ...field, value: shownField(field.value) })
    : []
}

function isByAnother(task: Task, { status, decision, need }: ApprovalRecord): boolean {
  if (need !== undefined) return false
  const said = answerOf('', fieldOf(task, `${status}_by`), undefined).by
  return said !== undefined && decision?.by !== undefined && said !== decision.by
}

function noteOf(task: Task, { status, decision }: ApprovalRecord): string {
  if (decision === undefined)
    return `this line contained [${task.marker}], but the session had already continued without a decision`
  return `this line contained another decision, but the first decision applies: ${status} by ${decision.by ?? 'an unknown user'} at ${decision.at}`
}

/** Keeps a field value from being read as the start of a block. */
function shownField(value: string): string {
  const line = shownLine(value)
  return /^[|>]/.test(line) ? `'${line}'` : line
}
