import type { EventEntry, ResultEntry } from '../ports/entry.ts'
import type { Message } from '../ports/model.ts'
import type { SessionState } from './session-state.ts'

/** The most characters of a result that the model sees. The journal keeps the whole result. */
const shownResultLimit = 40_000

/** Shows a message to the model, from its next request on. */
export function showMessage(state: SessionState, message: Message, seq: number): void {
  state.messages.push(message)
  state.messageSeqs.push(seq)
  state.characters += sizeOf(message)
}

function sizeOf(message: Message): number {
  let size = (message.content?.length ?? 0) + 20
  if (message.role === 'assistant') {
    for (const call of message.tool_calls ?? [])
      size += call.function.arguments.length + call.function.name.length
    for (const { item } of message.reasoning?.items ?? []) size += JSON.stringify(item).length
  }
  return size
}

/** Removes and returns messages that arrived after the request was sent, so that they can follow the reply. */
export function takeUnseenMessages(state: SessionState, asked: number | undefined): Message[] {
  let from = state.messages.length
  while (
    asked !== undefined &&
    from > 0 &&
    (state.messageSeqs[from - 1] as number) > asked &&
    state.messages[from - 1]?.role === 'user'
  )
    from -= 1
  state.messageSeqs.length = from
  const unseen = state.messages.splice(from)
  for (const message of unseen) state.characters -= sizeOf(message)
  return unseen
}

/** Replaces the older messages with a summary. The first and the latest request stay unchanged. */
export function showSummary(state: SessionState, entry: EventEntry): void {
  const upTo = Number(entry['up_to'])
  const kept = state.messageSeqs.findIndex((seq) => seq > upTo)
  const from = kept < 0 ? state.messages.length : kept
  const rest = state.messages.slice(from)
  const restSeqs = state.messageSeqs.slice(from)
  state.messages = []
  state.messageSeqs = []
  state.characters = 0
  state.measured = undefined
  state.measuredRequest = undefined
  state.sentRequest = undefined
  const { first, last } = state.work ?? {}
  for (const work of new Set([first, last]))
    if (work !== undefined && !rest.includes(work)) showMessage(state, work, 0)
  showMessage(state, { role: 'user', content: entry.content ?? '' }, upTo)
  rest.forEach((message, index) => {
    showMessage(state, message, restSeqs[index] as number)
  })
}

/** Providers reject requests over their limit, and one long result would push everything else out of the window. */
export function truncateResult(entry: ResultEntry, session: string): Message {
  const { content } = entry
  if (content.length <= shownResultLimit) return entry
  const head = content.slice(0, shownResultLimit * 0.75)
  const tail = content.slice(-shownResultLimit * 0.25)
  const left = content.length - head.length - tail.length
  const where = `the full result is in sessions/${session}.session.yaml, at tool_call_id ${entry.tool_call_id}`
  return { ...entry, content: `${head}\n\n[${left} characters omitted; ${where}]\n\n${tail}` }
}
