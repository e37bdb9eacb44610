/** The second form of an approval: the file `approvals/pending/<id>.approval.md`. These functions work on text and do no I/O. */

import { type Answer, isPermission } from '@cadre/core'
import { linesOf, type RawText, rawOf, textOf } from '@cadre/disk'
import { describeRequirement } from '@cadre/home'
import { applySplices, type Splice } from '@cadre/tasks'
import { type ApprovalRecord, countText } from './approval-record.ts'
import { anyDecisionWord, decisionWord, isDoubt, offeredWords, parseDecisionWord } from './decision-words.ts'
import { actionChanged, answerOf, noDecision, normalizeTypedLine, type Reading } from './reading.ts'
import { displayName, isPlain, labelOf, prefixWithBars, shownLine, visibleJson } from './shown-text.ts'

const maxTaskLength = 120
const maxPurposeLength = 500

export function approvalFile(record: ApprovalRecord): RawText {
  const { id, agent, session, call, question, created, risk, reasons, why, task, purpose } = record
  const lines = [
    `# Approval Request: ${id}`,
    `agent: ${shownLine(agent)}`,
    `session: ${shownLine(session)}`,
    ...(task === undefined ? [] : [`task: ${shownLine(task, maxTaskLength)}`]),
    `call: ${shownLine(call)}`,
    `question: ${shownLine(question)}`,
    `created: ${created}`,
    'status: pending',
    ...votesLine(record),
    '',
    ...actionLines(record),
    `> ${withoutComment(why)}`,
    ...(purpose === undefined
      ? []
      : ['>', `> The agent wrote: ${withoutComment(shownLine(purpose, maxPurposeLength))}`]),
    '',
    `**Risk Level:** ${risk ?? 'unknown'}`,
    ...reasons.map((reason) => `- ${withoutComment(reason)}`),
    ...(record.need === undefined ? [] : ['', `**Needs:** ${describeRequirement(record.need)}`]),
    '',
    '## Review',
    '',
    ...howTo(record),
    '',
    `**Decision:** <!-- ${offeredWords(record).join(' | ')} -->`,
    '',
    '**Notes:**',
    isDoubt(record)
      ? '<!-- Add any notes here. The agent sees them. -->'
      : '<!-- Add any notes here. If you reject, the agent sees them as the reason. -->',
    '',
    '**Reviewed by:**',
    '**Reviewed at:**',
  ]
  return rawOf(`${lines.join('\n')}\n`)
}

function howTo(record: ApprovalRecord): string[] {
  const { id } = record
  if (!isDoubt(record))
    return [
      `<!-- Write APPROVED or REJECTED after Decision, and save. Or: cadre approve ${id}, cadre reject ${id} -->`,
    ]
  return [
    '<!-- The process ended before the result of this call was recorded. Check whether the call took effect, write one word',
    '     after Decision, and save:',
    `     AGAIN  it had no effect: run it again. Or: cadre approve ${id}`,
    `     DONE   it took effect: continue. Or: cadre approve ${id} --done`,
    `     LEAVE  do not run it again. The agent must check. Or: cadre reject ${id} -->`,
  ]
}

/** Reads a person's decision from the text: one word after `Decision:`, below the unchanged action. */
export function readApprovalFile(raw: RawText, record: ApprovalRecord): Reading {
  const review = reviewOf(raw, record)
  if (review === undefined) return anyDecisionWord.test(decisionAnywhere(raw)) ? actionChanged : noDecision
  const said = decisionsIn(review, record).filter(({ word }) => word !== '')
  const [first] = said
  if (first === undefined) return noDecision
  if (said.length > 1) return { kind: 'unclear', why: 'the file has more than one decision. Keep one' }
  const decision = parseDecisionWord(record, first.word)
  if (decision === undefined) {
    const words = offeredWords(record)
    const list = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
    return { kind: 'unclear', why: `only ${list} is allowed after Decision` }
  }
  const by = valueBehind(review, 'reviewed by')
  return {
    kind: 'decided',
    answer: answerOf(decision, by, decision === 'approve' ? undefined : notesIn(review)),
  }
}

/** Returns the text with a decision added, as a person would write it, or undefined if the file was changed. */
export function decideApprovalFile(
  raw: RawText,
  record: ApprovalRecord,
  answer: Answer,
  at: string,
): RawText | undefined {
  const review = reviewOf(raw, record)
  if (review === undefined) return undefined
  return applySplices(raw, decisionSplices(review, record, { ...answer, at }))
}

function votesLine(record: ApprovalRecord): string[] {
  const votes = countText(record)
  return votes === undefined ? [] : [`votes: ${shownLine(votes)}`]
}

/**
 * Returns the text without its decision and with the votes so far, for an approval that needs several people, or undefined if the file was
 * changed.
 */
export function reopenApprovalFile(raw: RawText, record: ApprovalRecord, note?: string): RawText | undefined {
  const review = reviewOf(raw, record)
  if (review === undefined) return undefined
  const [votes = ''] = votesLine(record)
  const header = headerLine(raw, /^votes:/)
  const said = decisionsIn(review, record).filter(({ word }) => word !== '')
  const [place] = said
  return applySplices(raw, [
    ...(header === undefined || header.text === rawOf(votes)
      ? []
      : [{ at: header.start, remove: header.text.length, insert: rawOf(votes) }]),
    ...said.flatMap((one) => withoutDecision(review, one)),
    ...(place === undefined || note === undefined ? [] : [below(place.line, `**Note:** ${shownLine(note)}`)]),
  ])
}

/** The word is on the label's line or on the next one. */
function withoutDecision(review: readonly Line[], { line }: DecisionLine): Splice[] {
  const own = replaceDecision(line, '')
  const next = review[review.indexOf(line) + 1]
  return own.length > 0 || next === undefined ? own : replaceDecision(next, '')
}

/** Returns the text updated from the journal. Text from people is kept, with a note if their decision does not apply. */
export function settleApprovalFile(raw: RawText, record: ApprovalRecord): RawText {
  const { status, decision } = record
  const header = headerLine(raw, /^status:/)
  const word = rawOf(`status: ${status}`)
  const splices: Splice[] =
    header === undefined || header.text === word
      ? []
      : [{ at: header.start, remove: header.text.length, insert: word }]
  const review = reviewOf(raw, record)
  if (status === 'pending' || review === undefined) return applySplices(raw, splices)
  if (decision !== undefined)
    return applySplices(raw, [...splices, ...decisionSplices(review, record, decision)])
  return applySplices(raw, splices)
}

function headerLine(raw: RawText, label: RegExp) {
  return [...linesOf(raw)].slice(0, 12).find(({ text }) => label.test(text))
}

/** The lines from the heading to the end of the action. A decision below other lines is not valid. */
function actionLines({ type, action, more }: ApprovalRecord): string[] {
  const shown = (text: string) => {
    if (!isPlain(text))
      return ['', 'As a JSON string, to show hidden characters:', '', `    ${visibleJson(text)}`]
    if (!text.includes('\n') && !text.includes('`')) return [`\`${text}\``]
    return ['', ...prefixWithBars(text).map((line) => `  ${line}`)]
  }
  return [
    '## Proposed Action',
    '',
    `**Type:** ${shownLine(type)}`,
    '',
    `**${labelOf(type)}:**`,
    ...shown(action),
    '',
    ...more.flatMap(([name, value]) => [`**Argument ${displayName(name)}:**`, ...shown(value), '']),
    '**Context:**',
  ]
}

interface Line {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly eol: string
  /** The line without comments. */
  readonly said: string
}

/** Returns the lines below the action, if the file shows the requested action. */
function reviewOf(raw: RawText, record: ApprovalRecord): Line[] | undefined {
  const lines = [...linesOf(raw)]
  const texts = lines.map(({ text }) => textOf(text).trimEnd())
  if (texts[0]?.replace(/^\ufeff/, '') !== `# Approval Request: ${record.id}`) return undefined
  const wanted = actionLines(record).map((line) => line.trimEnd())
  const at = texts.indexOf(wanted[0] ?? '')
  if (at === -1 || wanted.some((line, index) => texts[at + index] !== line)) return undefined
  let isComment = false
  return lines.slice(at + wanted.length).map((line) => {
    const rest: string[] = []
    for (let text = textOf(line.text); text !== ''; ) {
      const sign = isComment ? '-->' : '<!--'
      const found = text.indexOf(sign)
      if (!isComment) rest.push(found === -1 ? text : text.slice(0, found))
      if (found === -1) break
      text = text.slice(found + sign.length)
      isComment = !isComment
    }
    return { ...line, said: rest.join(' ').trim() }
  })
}

const bold = '(?:\\*\\*|__)?'
const labelled = (label: string) =>
  new RegExp(`^[ \\t]*${bold}[ \\t]*${label}[ \\t]*${bold}[ \\t]*:[ \\t]*${bold}(.*)$`, 'i')
const decisionLabel = labelled('decision')
const anyLabel = labelled('(?:decision|notes|note|reviewed by|reviewed at)')

interface DecisionLine {
  readonly line: Line
  readonly word: string
}

function decisionsIn(review: readonly Line[], record: ApprovalRecord): DecisionLine[] {
  return review.flatMap((line, index) => {
    const behind = decisionLabel.exec(line.said)?.[1]
    if (behind === undefined) return []
    const word = bare(behind)
    if (word !== '') return [{ line, word }]
    // Some people write the decision on the next line.
    const below = bare(review[index + 1]?.said ?? '')
    return [{ line, word: parseDecisionWord(record, below) === undefined ? '' : below }]
  })
}

function bare(text: string): string {
  return text.replace(/[*_`]/g, '').trim()
}

function valueBehind(review: readonly Line[], label: string): string | undefined {
  const pattern = labelled(label)
  return review.map(({ said }) => pattern.exec(said)?.[1]).find((value) => value !== undefined)
}

function notesIn(review: readonly Line[]): string | undefined {
  const at = review.findIndex(({ said }) => labelled('notes').test(said))
  if (at === -1) return undefined
  const below = review.slice(at + 1)
  const end = below.findIndex(({ said }) => anyLabel.test(said))
  const first = labelled('notes').exec(review[at]?.said ?? '')?.[1] ?? ''
  return [first, ...below.slice(0, end === -1 ? undefined : end).map(({ said }) => said)].join(' ')
}

/** Finds a decision in a file that no longer shows the action. Cadre must report such a decision. */
function decisionAnywhere(raw: RawText): string {
  const lines = [...linesOf(raw)].map(({ text }) => textOf(text).replace(/<!--.*?(?:-->|$)/g, ''))
  return lines.map((line) => decisionLabel.exec(line)?.[1] ?? '').join(' ')
}

interface Decided extends Answer {
  readonly at: string
}

function decisionSplices(
  review: readonly Line[],
  record: ApprovalRecord,
  { decision, by, reason, at }: Decided,
): Splice[] {
  const word = decisionWord(record, decision)
  const decisions = decisionsIn(review, record)
  const said = decisions.filter((one) => one.word !== '')
  const [place] = said.length > 0 ? said : decisions
  const last = review.at(-1)
  const splices: Splice[] = []
  if (place === undefined) {
    if (last !== undefined) splices.push(below(last, `**Decision:** ${word}`))
  } else if (place.word === '') splices.push(behind(place.line, decisionLabel, word))
  else if (said.some((one) => meaningOf(record, one.word) !== word)) {
    const who = `by ${shownLine(by ?? 'an unknown user')} at ${at}`
    const note = `**Note:** this file contained ${shownLine(place.word)}, but the first decision applies: ${word} ${who}`
    splices.push(...said.flatMap(({ line }) => replaceDecision(line, word)), below(place.line, note))
  }
  return [
    ...splices,
    ...empty(review, 'reviewed by', by ?? 'an unknown user'),
    ...empty(review, 'reviewed at', at),
    ...((isPermission(decision) && !isDoubt(record)) ||
    reason === undefined ||
    normalizeTypedLine(notesIn(review)) !== undefined
      ? []
      : empty(review, 'notes', reason)),
  ]
}

/** Returns Cadre's word for this decision. */
function meaningOf(record: ApprovalRecord, word: string): string | undefined {
  const decision = parseDecisionWord(record, word)
  return decision && decisionWord(record, decision)
}

/** Fills in a value if the field is empty. */
function empty(review: readonly Line[], label: string, value: string): Splice[] {
  const pattern = labelled(label)
  const line = review.find(({ said }) => pattern.test(said))
  if (line === undefined || bare(pattern.exec(line.said)?.[1] ?? '') !== '') return []
  return [behind(line, pattern, withoutComment(value))]
}

function behind(line: Line, pattern: RegExp, value: string): Splice {
  const rest = pattern.exec(line.text)?.[1] ?? ''
  return { at: line.start + line.text.length - rest.length, remove: 0, insert: rawOf(` ${value}`) }
}

/** Replaces the decision on this line with the word, if there is one. */
function replaceDecision(line: Line, word: string): Splice[] {
  const shown = line.text.replace(/<!--.*?(?:-->|$)/g, (comment) => ' '.repeat(comment.length))
  const found = anyDecisionWord.exec(shown)
  return found === null ? [] : [{ at: line.start + found.index, remove: found[0].length, insert: word }]
}

function below(line: Line, text: string): Splice {
  const eol = line.eol === '' ? '\n' : line.eol
  return { at: line.end, remove: 0, insert: (line.eol === '' ? eol : '') + rawOf(text) + eol }
}

/** Returns one line that starts no comment, because a comment would hide the text after it. */
function withoutComment(text: string): string {
  return shownLine(text).replaceAll('<!--', '<! --').replaceAll('-->', '-- >')
}
