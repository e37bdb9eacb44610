import type { Image, JsonObject, Message, ModelRequest } from '@cadre/core'
import { inputOf, wellFormed, withReasoning } from '../http/message-parts.ts'
import { isStrict } from '../http/output-schema.ts'

/** Features that this server was found not to support. */
export interface MessagesQuirks {
  /** The highest limit on output tokens that it accepts. */
  readonly outputLimit?: number
  /** The limit was too high only for this request. */
  readonly isTransient?: boolean
  readonly withoutThinking?: boolean
  readonly withoutCache?: boolean
  readonly withoutSchema?: boolean
}

export interface MessagesBodyOptions {
  /** The model, as `Model.id`. */
  readonly id: string
  /** The maximum length of a reply, which this API requires. */
  readonly maxOutput: number
  readonly thinkingTokens: number | undefined
}

/** The API's minimum, and the least that should be left for the answer. */
const minThinkingTokens = 1024

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: JsonObject[]
}

/** Builds the body of a request. Marks up to four cache breakpoints: tools, system, and two in the conversation. */
export function messagesBody(
  model: string,
  request: ModelRequest,
  quirks: MessagesQuirks,
  options: MessagesBodyOptions,
): string {
  const { system, messages, tools, outputSchema: schema } = request
  const limit = Math.min(
    request.maxOutput ?? options.maxOutput,
    quirks.outputLimit ?? Number.POSITIVE_INFINITY,
  )
  const turns = turnsOf(messages, options.id)
  const thinking = quirks.withoutThinking ? undefined : thinkingOf(options.thinkingTokens, limit, turns)
  const cached = quirks.withoutCache ? {} : { cache_control: { type: 'ephemeral' } }
  if (!quirks.withoutCache) markTurns(turns, cached)
  const offers = tools.map(({ name, description, parameters }, index) => ({
    name,
    description,
    input_schema: parameters,
    ...(index === tools.length - 1 && cached),
  }))
  return JSON.stringify({
    model,
    max_tokens: limit,
    stream: true,
    ...(system !== '' && { system: [{ type: 'text', text: wellFormed(system), ...cached }] }),
    ...(offers.length > 0 && { tools: offers }),
    // The API enforces schemas, and accepts only those that it can enforce.
    ...(schema !== undefined &&
      !quirks.withoutSchema &&
      isStrict(schema) && { output_config: { format: { type: 'json_schema', schema } } }),
    ...(thinking !== undefined && { thinking: { type: 'enabled', budget_tokens: thinking } }),
    messages: turns,
  })
}

/** The thinking budget; undefined if the reply would be too short for it, or if the answered calls were made without thinking. */
function thinkingOf(wanted: number | undefined, limit: number, turns: readonly Turn[]): number | undefined {
  if (wanted === undefined) return undefined
  const tokens = Math.min(Math.max(wanted, minThinkingTokens), limit - minThinkingTokens)
  if (tokens < minThinkingTokens) return undefined
  const last = turns.findLast(({ role }) => role === 'assistant')
  const answersCalls = turns.at(-1)?.content[0]?.['type'] === 'tool_result'
  const isThinking = /^(redacted_)?thinking$/.test(String(last?.content[0]?.['type']))
  return answersCalls && !isThinking ? undefined : tokens
}

function turnsOf(messages: readonly Message[], id: string): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const content = message.role === 'assistant' ? assistantParts(message, id) : userParts(message)
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    if (content.length === 0) continue
    const last = turns.at(-1)
    // All results of a reply must be in the one message that follows it.
    if (last?.role === role && role === 'user') last.content.push(...content)
    else turns.push({ role, content })
  }
  return turns
}

function assistantParts(message: Extract<Message, { role: 'assistant' }>, id: string): JsonObject[] {
  const { content, tool_calls: calls = [] } = message
  const text = content === null || content.trim() === '' ? [] : [textPart(content)]
  const uses = calls.map((call) => ({
    type: 'tool_use',
    id: callId(call.id),
    name: call.function.name,
    input: inputOf(call),
  }))
  const parts: JsonObject[] = [...text, ...uses]
  return parts.length === 0 ? [] : withReasoning(parts, message.reasoning, id)
}

function userParts(message: Exclude<Message, { role: 'assistant' }>): JsonObject[] {
  const images = (message.images ?? []).map(imagePart)
  const isBlank = message.content.trim() === ''
  if (message.role === 'user')
    return isBlank && images.length > 0
      ? images
      : [textPart(isBlank ? '(no text)' : message.content), ...images]
  const content = [...(isBlank ? [] : [textPart(message.content)]), ...images]
  return [{ type: 'tool_result', tool_use_id: callId(message.tool_call_id), content }]
}

/** Marks the end of the conversation, and the end of the previous request, whose prefix the server has cached. */
function markTurns(turns: readonly Turn[], mark: JsonObject): void {
  const users = turns.filter(({ role }) => role === 'user').slice(-2)
  for (const { content } of users) {
    const part = content.at(-1)
    if (part !== undefined) content[content.length - 1] = { ...part, ...mark }
  }
}

/** Only these characters are accepted; ids of other backends may have more. */
function callId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_')
}

function textPart(text: string): JsonObject {
  return { type: 'text', text: wellFormed(text) }
}

function imagePart({ mime, data }: Image): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: mime, data } }
}
