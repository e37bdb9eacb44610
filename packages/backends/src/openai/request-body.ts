import type { Image, Message, ModelRequest, ToolOffer, WireCall } from '@cadre/core'
import { wellFormed } from '../http/message-parts.ts'
import { isStrict } from '../http/output-schema.ts'

/** Features that this server was found not to support. Learned from its errors, and kept. */
export interface ChatQuirks {
  readonly withoutUsage?: boolean
  /** The limit parameters that it rejected. */
  readonly refusedLimits?: readonly LimitName[]
  /** The highest limit on output tokens that it accepts. */
  readonly outputLimit?: number
  /** The limit was too high only for this request. */
  readonly isTransient?: boolean
  /** The server accepts a key that groups the requests of a session for its prompt cache. */
  readonly cacheKeys?: boolean
  readonly withoutSchema?: boolean
}

/** OpenAI's own models accept only the first; many other servers silently ignore it and use the second. */
export const limitNames = ['max_completion_tokens', 'max_tokens'] as const
export type LimitName = (typeof limitNames)[number]

interface Written {
  readonly text: string
  /** Images of a tool's result, as parts of a user message: the tool's own message can contain only text. */
  readonly images?: string
}

const writtenMessages = new WeakMap<Message, Written>()
const writtenTools = new WeakMap<readonly ToolOffer[], string>()
const writtenPrompts = new Map<string, string>()

/**
 * Builds the body of a request. Serialized messages, tools and prompts are cached, so a request costs only the
 * serialization of new parts.
 */
export function requestBody(model: string, request: ModelRequest, quirks: ChatQuirks): string {
  const { messages, tools, system, maxOutput, outputSchema: schema } = request
  let body = `{"model":${JSON.stringify(model)},"messages":[`
  let comma = ''
  const add = (text: string) => {
    body += comma + text
    comma = ','
  }
  if (system !== '') add(writePrompt(system))
  let images = ''
  for (const message of messages) {
    // Results must directly follow their calls, so their images come after the last of them.
    if (images !== '' && message.role !== 'tool_result') {
      add(`{"role":"user","content":[${images}]}`)
      images = ''
    }
    const written = writeMessage(message)
    add(written.text)
    if (written.images !== undefined) images += (images === '' ? '' : ',') + written.images
  }
  if (images !== '') add(`{"role":"user","content":[${images}]}`)
  body += ']'
  if (tools.length > 0) body += `,"tools":${writeTools(tools)}`
  if (maxOutput !== undefined)
    for (const name of limitNames)
      if (!quirks.refusedLimits?.includes(name))
        body += `,"${name}":${Math.min(maxOutput, quirks.outputLimit ?? maxOutput)}`
  if (schema !== undefined && !quirks.withoutSchema)
    body += `,"response_format":${JSON.stringify({ type: 'json_schema', json_schema: { name: 'output', schema, strict: isStrict(schema) } })}`
  if (quirks.cacheKeys) body += `,"prompt_cache_key":${JSON.stringify(request.session)}`
  return `${body},"stream":true${quirks.withoutUsage ? '' : ',"stream_options":{"include_usage":true}'}}`
}

function writeMessage(message: Message): Written {
  let written = writtenMessages.get(message)
  if (written === undefined) {
    written = write(message)
    writtenMessages.set(message, written)
  }
  return written
}

function write(message: Message): Written {
  if (message.role === 'assistant') return { text: writeAssistant(message.content, message.tool_calls ?? []) }
  const content = wellFormed(message.content)
  const images = message.images?.length ? message.images.map(imagePart).join(',') : undefined
  if (message.role === 'tool_result') {
    const text = JSON.stringify({ role: 'tool', tool_call_id: message.tool_call_id, content })
    const label = textPart(`Images from the result of ${message.tool_call_id}:`)
    return images === undefined ? { text } : { text, images: `${label},${images}` }
  }
  if (images === undefined) return { text: JSON.stringify({ role: 'user', content }) }
  return { text: `{"role":"user","content":[${content === '' ? '' : `${textPart(content)},`}${images}]}` }
}

function writeAssistant(content: string | null, calls: readonly WireCall[]): string {
  const text = content === null ? null : wellFormed(content)
  if (calls.length === 0) return JSON.stringify({ role: 'assistant', content: text ?? '' })
  return JSON.stringify({ role: 'assistant', content: text, tool_calls: calls.map(withValidArguments) })
}

// Servers that parse the arguments of earlier calls fail on invalid ones, in this and every later request.
function withValidArguments(call: WireCall): WireCall {
  const { name, arguments: text } = call.function
  return {
    id: call.id,
    type: 'function',
    function: { name, arguments: isObject(text) ? text : JSON.stringify({ invalid: text }) },
  }
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

function writeTools(tools: readonly ToolOffer[]): string {
  let written = writtenTools.get(tools)
  if (written === undefined) {
    written = JSON.stringify(
      tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    )
    writtenTools.set(tools, written)
  }
  return written
}

function writePrompt(system: string): string {
  let written = writtenPrompts.get(system)
  if (written === undefined) {
    written = JSON.stringify({ role: 'system', content: wellFormed(system) })
    // There are as many prompts as agents; if there are more, they are generated, and caching them would be a leak.
    if (writtenPrompts.size >= 256) writtenPrompts.clear()
    writtenPrompts.set(system, written)
  }
  return written
}

function textPart(text: string): string {
  return JSON.stringify({ type: 'text', text })
}

function imagePart({ mime, data }: Image): string {
  return `{"type":"image_url","image_url":{"url":"data:${mime};base64,${data}"}}`
}
