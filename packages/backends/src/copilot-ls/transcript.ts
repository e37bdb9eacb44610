import type { Image, Message, WireCall } from '@cadre/core'

export type Content = string | readonly Part[]
type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly imageUrl: { readonly url: string } }

/** One exchange of a conversation; the last has no response yet. */
export interface HistoryTurn {
  readonly request: Content
  readonly response?: string
}

type SentMessage = Exclude<Message, { readonly role: 'assistant' }>

/**
 * Converts a session's messages to the turns of a new conversation. The server's own system prompt cannot be replaced, so
 * the agent's is a block at the start. Calls and results of earlier rounds can only be sent as text.
 */
export function historyOf(system: string, messages: readonly Message[], canSee: boolean): HistoryTurn[] {
  const turns: HistoryTurn[] = []
  const names = new Map<string, string>()
  let asked: SentMessage[] = []
  for (const message of messages) {
    if (message.role !== 'assistant') {
      asked.push(message)
      continue
    }
    for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name)
    turns.push({
      request: contentOf(asked, names, false),
      response: formatReply(message.content, message.tool_calls ?? []),
    })
    asked = []
  }
  turns.push({ request: contentOf(asked, names, canSee) })
  const [first, ...rest] = turns as [HistoryTurn, ...HistoryTurn[]]
  return [{ ...first, request: prepend(instructions(system, names.size > 0), first.request) }, ...rest]
}

/** The messages since the last reply, as one request. */
export function contentOf(
  messages: readonly SentMessage[],
  names: ReadonlyMap<string, string>,
  canSee: boolean,
): Content {
  const text = messages.map((message) => formatMessage(message, names, canSee)).join('\n\n')
  const images = canSee ? messages.flatMap((message) => message.images ?? []) : []
  const safe = plainStart(text)
  if (images.length === 0) return safe
  return [{ type: 'text', text: safe }, ...images.map(imagePart)]
}

/** Messages that arrived while the server waited for a result can only be sent together with that result. */
export function withMessages(result: string, messages: readonly { readonly content: string }[]): string {
  const told = messages.map(({ content }) => `<user_message>\n${content}\n</user_message>`)
  return [result, ...told].join('\n\n')
}

function formatMessage(message: SentMessage, names: ReadonlyMap<string, string>, canSee: boolean): string {
  const unseen =
    message.images?.length && !canSee ? `\n[${message.images.length} image(s), not shown to this model]` : ''
  if (message.role === 'user') return message.content + unseen
  const tool = names.get(message.tool_call_id) ?? 'tool'
  return `<tool_result tool="${tool}">\n${message.content}${unseen}\n</tool_result>`
}

function formatReply(content: string | null, calls: readonly WireCall[]): string {
  const lines = calls.map(
    ({ function: { name, arguments: input } }) => `<tool_call tool="${name}">${input}</tool_call>`,
  )
  return [content ?? '', ...lines].filter((line) => line !== '').join('\n\n') || '(no text)'
}

function instructions(system: string, hasCalls: boolean): string {
  const note = hasCalls
    ? '\n\nYour earlier calls and their results are shown as <tool_call> and <tool_result>. To use a tool, call it. Never write these blocks yourself.'
    : ''
  const text = `${system}${note}`.trim()
  return text === '' ? '' : `<system_instructions>\n${text}\n</system_instructions>`
}

function prepend(block: string, content: Content): Content {
  if (block === '') return content
  if (typeof content === 'string') return `${block}\n\n${content}`
  return [{ type: 'text', text: block }, ...content]
}

/** The server treats a text that starts with `/`, `@` or `#` as a command. */
function plainStart(text: string): string {
  if (text.trim() === '') return 'Continue.'
  return /^\s*[/@#]/.test(text) ? `<user_message>\n${text}\n</user_message>` : text
}

function imagePart({ mime, data }: Image): Part {
  return { type: 'image_url', imageUrl: { url: `data:${mime};base64,${data}` } }
}
