import type { Image, Message, Reply } from '@cadre/core'

/** What a conversation contains: the messages of its last request, and the reply. */
export interface KnownConversation {
  readonly messages: readonly Message[]
  readonly reply: Reply
}

export type ToolResultMessage = Extract<Message, { role: 'tool_result' }>
export type UserMessage = Extract<Message, { role: 'user' }>

export interface Continuation {
  /** One for each call of the reply, in order. */
  readonly results: readonly ToolResultMessage[]
  /** New messages since then. */
  readonly said: readonly UserMessage[]
}

/** Returns the new messages, if they continue the known ones. Undefined if something earlier was changed, summarised or omitted. */
export function continuationOf(
  known: KnownConversation,
  messages: readonly Message[],
): Continuation | undefined {
  const { reply } = known
  if (known.messages.some((message, index) => messages[index] !== message)) return undefined
  const [first, ...later] = messages.slice(known.messages.length)
  if (first?.role !== 'assistant' || (first.content ?? '') !== (reply.content ?? '')) return undefined
  const calls = first.tool_calls ?? []
  // The loop may have changed the id of a call, but never its position.
  const isSame =
    calls.length === reply.calls.length &&
    calls.every(({ function: one }, index) => {
      const other = reply.calls[index]?.function
      return one.name === other?.name && one.arguments === other.arguments
    })
  if (!isSame || later.some(({ role }) => role === 'assistant')) return undefined
  const results = calls.map(({ id }) =>
    later.find(
      (message): message is ToolResultMessage =>
        message.role === 'tool_result' && message.tool_call_id === id,
    ),
  )
  const said = later.filter((message) => message.role === 'user')
  if (!results.every((result) => result !== undefined)) return undefined
  if (calls.length + said.length === 0) return undefined
  return { results, said }
}

/** A message for a server that keeps the conversation itself. */
export interface SentContent {
  readonly text: string
  readonly images: readonly Image[]
}

/** One or several messages of a person. */
export function userMessage(said: readonly UserMessage[]): SentContent {
  return { text: said.map(({ content }) => content).join('\n\n'), images: imagesOf(said) }
}

/**
 * The first message of a new conversation. Earlier messages are lines of JSON, so that text in them, such as a tool result,
 * cannot be mistaken for another message.
 */
export function openingMessage(messages: readonly Message[]): SentContent {
  const last = messages.findLastIndex(({ role }) => role !== 'user')
  const said = messages.slice(last + 1) as readonly UserMessage[]
  if (last < 0) return userMessage(said)
  const lines = messages.slice(0, last + 1).map(lineOf)
  const rest = said.length === 0 ? 'Continue from there.' : userMessage(said).text
  const text = `This conversation started earlier. These are its messages so far, one JSON object per line, oldest first. You are the assistant. All calls in them are finished.\n\n${lines.join('\n')}\n\nEnd of the earlier messages.\n\n${rest}`
  return { text, images: imagesOf(messages) }
}

function imagesOf(messages: readonly Message[]): readonly Image[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? [] : (message.images ?? [])))
}

function lineOf(message: Message): string {
  const { role, content } = message
  if (role === 'assistant') return JSON.stringify({ role, content, tool_calls: message.tool_calls })
  return role === 'user'
    ? JSON.stringify({ role, content })
    : JSON.stringify({ role, tool_call_id: message.tool_call_id, content })
}
