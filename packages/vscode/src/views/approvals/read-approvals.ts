/** Reads pending decisions, and records answers. Loaded on first use, because it needs the engine. */
import { type Answer, CadreError, type StoredSession } from '@cadre/core'
import {
  type ApprovalRecord,
  actionLines,
  countText,
  isDoubt,
  isVisible,
  objectionTo,
  shownLine,
  shownText,
  voteText,
} from '@cadre/gate'
import { describeRequirement, isDaemonRunning } from '@cadre/home'
import { personName, type Sessions } from '@cadre/runtime'
import { type FilePreview, previewQuestion } from '@cadre/tools'
import type { ApprovalItem, QuestionTarget } from './approval-item.ts'

/** All pending decisions, oldest first. Applies decisions in files, like `cadre approvals`. */
export async function readApprovals(
  { engine }: Pick<Sessions, 'engine'>,
  isShown: (session: string, question: string) => boolean,
): Promise<ApprovalItem[]> {
  const records = await engine.approvals.list()
  return records.map((record) => itemOf(record, isShown(record.session, record.question)))
}

const maxTitleLength = 100

function itemOf(record: ApprovalRecord, isShown = false): ApprovalItem {
  const { id, session, root, question, agent, risk, type, action, more, choices, grants, created } = record
  const title = shownLine(action, maxTitleLength)
  return {
    id,
    session,
    root,
    question,
    agent: shownLine(agent, 60),
    risk,
    title: type === 'file_write' ? `Write ${title}` : title,
    text: [...actionLines(record), '', ...factLines(record)].join('\n'),
    isWhole: title === action && more.length === 0,
    isDoubt: isDoubt(record),
    isRepeatable: choices.includes('approve-session'),
    grants: grants.map((grant) => shownLine(grant)),
    created,
    isShown,
  }
}

function factLines(record: ApprovalRecord): string[] {
  const { agent, risk, reasons, why, grants } = record
  return [
    `Agent: ${shownLine(agent)}`,
    ...(risk === undefined ? [] : [`Risk: ${risk}`]),
    ...reasons.map((reason) => `- ${shownLine(reason)}`),
    ...(why === '' ? [] : [`Asked because: ${shownLine(why)}`]),
    ...(record.need === undefined
      ? []
      : [`Needs: ${describeRequirement(record.need)}`, `Approvals: ${countText(record) ?? ''}`]),
    ...grants.map((grant) => `Approving for this session permits: ${shownLine(grant)}`),
  ]
}

export type Decision =
  /** This home has no such question. */
  | { readonly kind: 'missing' }
  /** It was already decided differently, or is no longer pending. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It counts as a vote, and more people must approve. */
  | { readonly kind: 'voted'; readonly count: string }
  /** `resumes`: what continues the session: the process that runs it, the daemon, or a person. */
  | { readonly kind: 'decided'; readonly root: string; readonly resumes: 'process' | 'daemon' | 'nobody' }

/** Records a decision, like `cadre approve` and `cadre reject`. */
export async function decide(
  { home, engine }: Sessions,
  { session, question }: QuestionTarget,
  { decision, reason }: Pick<Answer, 'decision' | 'reason'>,
): Promise<Decision> {
  const record = await findRecord({ engine }, { session, question })
  if (record === undefined) return { kind: 'missing' }
  const before = objectionTo(record, decision)
  if (before !== undefined) return { kind: 'refused', reason: withoutId(record, before) }
  if (!record.choices.includes(decision) && record.choices.length > 0)
    throw new CadreError('usage', `This cannot be answered with "${decision}".`)
  const by = personName(process.env)
  const answer = { decision, ...(by !== undefined && { by }), ...(reason && { reason }) }
  const decided = await engine.approvals.decide(record, answer, engine.approvals.voters.here('protocol'))
  if (decided.kind === 'voted') return { kind: 'voted', count: voteText(decided.record) }
  const objection = objectionTo({ ...record, decision: decided.answer }, decision)
  if (objection !== undefined) return { kind: 'refused', reason: withoutId(record, objection) }
  const { root } = record
  if (decided.kind === 'written') return { kind: 'decided', root, resumes: 'process' }
  return { kind: 'decided', root, resumes: isDaemonRunning(home) ? 'daemon' : 'nobody' }
}

function withoutId({ id }: ApprovalRecord, sentence: string): string {
  return sentence.replace(id, 'This')
}

async function findRecord(
  { engine }: Pick<Sessions, 'engine'>,
  { session, question }: QuestionTarget,
): Promise<ApprovalRecord | undefined> {
  const records = await engine.approvals.list({ all: true, sessions: [session] })
  return records.find((one) => one.question === question)
}

/** The content of an approval: files before and after if they can be computed, and always the complete text. */
export interface ApprovalContent {
  readonly item: ApprovalItem
  readonly text: string
  readonly files?: readonly FilePreview[]
}

export async function readAction(
  sessions: Sessions,
  target: QuestionTarget,
): Promise<ApprovalContent | undefined> {
  const record = await findRecord(sessions, target)
  const stored = await sessions.engine.read(target.session)
  if (record === undefined || stored === undefined) return undefined
  const files = isDoubt(record) ? undefined : await previewOf(stored, record)
  // Invisible characters are shown as escapes, in the text.
  const showsAll = files?.every(hasVisibleChange) === true
  return {
    item: itemOf(record),
    text: fullText(record, stored),
    ...(files !== undefined && files.length > 0 && showsAll && { files }),
  }
}

function previewOf(stored: StoredSession, { question, call }: ApprovalRecord) {
  const asked = stored.entries.find(
    (entry) => entry.role === 'event' && entry.type === 'person.asked' && entry['name'] === question,
  )
  return previewQuestion(stored, { call, detail: asked?.role === 'event' ? asked['detail'] : undefined })
}

function hasVisibleChange({ path, before = '', after = '' }: FilePreview): boolean {
  const old = new Set(before.split('\n'))
  return isVisible(path) && after.split('\n').every((line) => old.has(line) || isVisible(line.trimEnd()))
}

function fullText(record: ApprovalRecord, { spec }: StoredSession): string {
  const { id, session, created } = record
  const heading = isDoubt(record)
    ? 'This call was interrupted. It may have been carried out.'
    : 'An agent asks for your approval.'
  return [
    heading,
    '',
    ...actionLines(record),
    '',
    ...shownText('Folder', spec.workspace),
    ...factLines(record),
    ...(spec.chain.length < 2 ? [] : [`Delegated: ${spec.chain.map((name) => shownLine(name)).join(' → ')}`]),
    `Session: ${shownLine(session)}`,
    `Asked at: ${created}`,
    `Approval: ${id}`,
    '',
  ].join('\n')
}
