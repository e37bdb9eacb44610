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
type Said = History[number]

/** The maximum number of characters of the request and the report in a summary. */
const longestRequest = 4_000
const longestReport = 12_000

/**
 * The history for a session that takes over a conversation. `full`: the messages of the person and the agent in turn, without calls and
 * results. If older rounds were summarised for the model, the summary replaces them, so the history always fits into the context window.
 * `summary`: one message with the first request of the conversation and the last report. Both include the history that the session itself
 * received, so a conversation can be handed over repeatedly.
 */
export function contextOf(stored: StoredSession, kind: HandoffContext = 'full'): History {
  if (kind === 'none') return []
  const state = foldEntries(stored.entries, stored.spec.id)
  const said = saidIn(stored.spec, state)
  return kind === 'full' ? inTurn(said) : summaryOf(said, state, stored.spec)
}

function saidIn(spec: SessionSpec, state: SessionState): Said[] {
  // A session that was killed before its first entry still has its work.
  if (state.messages.length === 0 && state.deferred.length === 0)
    return [...(spec.history ?? []), { role: 'user', content: withImages(spec.work) }]
  const said = [...state.messages, ...state.deferred].flatMap(saidOf)
  return state.reported === undefined ? said : [...said, { role: 'assistant', content: state.reported }]
}

function saidOf(message: Message): Said[] {
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
  return `${content}\n\n[${images.length === 1 ? 'a picture was' : `${images.length} pictures were`} shown here]`
}

/** Joins consecutive messages of the same role. */
function inTurn(said: readonly Said[]): Said[] {
  const turns: Said[] = []
  for (const { role, content } of said) {
    const last = turns.at(-1)
    if (last?.role === role) turns[turns.length - 1] = { role, content: `${last.content}\n\n${content}` }
    else turns.push({ role, content })
  }
  return turns
}

const opening = 'Summary of the conversation so far.\n\nThe request:\n'

function summaryOf(said: readonly Said[], state: SessionState, spec: SessionSpec): Said[] {
  const request = cut(requestOf(said), longestRequest)
  const text = state.ended?.text || (said.findLast(({ role }) => role === 'assistant')?.content ?? '')
  const report = isBlank(text) ? '' : `\n\nThe last report, by ${oneLine(spec.agent.name, 60)}:\n`
  const content = `${opening}${quoted(request)}${report}${report && quoted(cut(text, longestReport))}`
  return [{ role: 'user', content }]
}

/** The first request of the conversation, even if it is in a summary from an earlier handoff. */
function requestOf(said: readonly Said[]): string {
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
function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  const kept = text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
  return `${kept}\n[… ${text.length - kept.length} more characters]`
}
