import type { StoredSession } from '../ports/engine.ts'
import type { UserDraft } from '../ports/entry.ts'
import type { Message } from '../ports/model.ts'
import type { Handoff } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import { isBlank } from '../text/is-blank.ts'
import { oneLine } from './prompt.ts'
import type { SessionState } from './session-state.ts'
import { foldEntries } from './state.ts'

/** How much of the conversation the other agent receives. */
export type HandoffContext = NonNullable<Handoff['context']>

export type History = NonNullable<SessionSpec['history']>
type ConversationMessage = History[number]

/** The maximum number of characters of the request and the report in a summary. */
const maxRequestLength = 4_000
const maxReportLength = 12_000

/**
 * The history for a session that takes over a conversation. `full`: the messages of the person and the agent in turn, without calls and
 * results. If older rounds were summarised for the model, the summary replaces them, so the history always fits into the context window.
 * `summary`: one message with the first request of the conversation and the last report. Both include the history that the session itself
 * received, so a conversation can be handed over repeatedly.
 */
export function handoffHistory(stored: StoredSession, kind: HandoffContext = 'full'): History {
  if (kind === 'none') return []
  const state = foldEntries(stored.entries, stored.spec.id)
  const said = messagesIn(stored.spec, state)
  return kind === 'full' ? joinSameRole(said) : summaryOf(said, state, stored.spec)
}

function messagesIn(spec: SessionSpec, state: SessionState): ConversationMessage[] {
  // A session that was killed before its first entry still has its work.
  if (state.messages.length === 0 && state.deferred.length === 0)
    return [...(spec.history ?? []), { role: 'user', content: withImages(spec.work) }]
  const said = [...state.messages, ...state.deferred].flatMap(toConversationMessage)
  return state.reported === undefined ? said : [...said, { role: 'assistant', content: state.reported }]
}

function toConversationMessage(message: Message): ConversationMessage[] {
  const { role, content } = message
  if (role === 'tool_result' || content === null || isBlank(content)) return []
  if (role === 'assistant') return [{ role, content }]
  // Messages from Cadre are about how to work, not part of the conversation.
  if ((message as UserDraft).from === 'cadre') return []
  return [{ role, content: withImages(message) }]
}

/** Images are not copied. Their number is. */
function withImages({ content, images = [] }: Pick<UserDraft, 'content' | 'images'>): string {
  if (images.length === 0) return content
  return `${content}\n\n[${images.length === 1 ? 'an image was' : `${images.length} images were`} shown here]`
}

/** Joins consecutive messages of the same role. */
function joinSameRole(said: readonly ConversationMessage[]): ConversationMessage[] {
  const turns: ConversationMessage[] = []
  for (const { role, content } of said) {
    const last = turns.at(-1)
    if (last?.role === role) turns[turns.length - 1] = { role, content: `${last.content}\n\n${content}` }
    else turns.push({ role, content })
  }
  return turns
}

const opening = 'Summary of the conversation so far.\n\nThe request:\n'

function summaryOf(
  said: readonly ConversationMessage[],
  state: SessionState,
  spec: SessionSpec,
): ConversationMessage[] {
  const request = truncate(requestOf(said), maxRequestLength)
  const text = state.ended?.text || (said.findLast(({ role }) => role === 'assistant')?.content ?? '')
  const report = isBlank(text) ? '' : `\n\nThe last report, by ${oneLine(spec.agent.name, 60)}:\n`
  const content = `${opening}${quoteLines(request)}${report}${report && quoteLines(truncate(text, maxReportLength))}`
  return [{ role: 'user', content }]
}

/** The first request of the conversation, even if it is in a summary from an earlier handoff. */
function requestOf(said: readonly ConversationMessage[]): string {
  const first = said.find(({ role }) => role === 'user')?.content ?? ''
  if (!first.startsWith(opening)) return first
  const lines = first.slice(opening.length).split('\n')
  const end = lines.findIndex((line) => !line.startsWith('>'))
  return lines
    .slice(0, end < 0 ? undefined : end)
    .map((line) => line.replace(/^> ?/, ''))
    .join('\n')
}

/** Marks each line, so that the quoted text cannot fake its own end. */
function quoteLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')
}

function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  const kept = text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
  return `${kept}\n[… ${text.length - kept.length} more characters]`
}
