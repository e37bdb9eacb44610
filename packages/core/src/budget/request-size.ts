import type { Message, ModelRequest, ToolOffer } from '../ports/model.ts'

/** The size and shape of a request, to detect whether a later request only adds to it. */
export interface RequestSize {
  /** An upper bound of its tokens: no tokenizer produces more tokens than the text has bytes. */
  readonly bytes: number
  /** The same for requests with the same model, prompt and tools. */
  readonly shape: string
}

/** Overhead in addition to the text of a message, a call and a tool. More than any chat template adds. */
const perMessage = 64
const perCall = 96
const perTool = 64
/** Servers add their own instructions for calling tools. */
const forTools = 640
/** The most that a server is known to charge for one image, whatever its size. */
const perImage = 50_000

const messageBytes = new WeakMap<Message, number>()
const toolTexts = new WeakMap<readonly ToolOffer[], string>()

export function sizeOf(
  model: string,
  {
    system,
    messages,
    tools,
    outputSchema,
  }: Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'outputSchema'>,
): RequestSize {
  const offered = toolText(tools)
  let bytes = perMessage + utf8Length(system)
  if (tools.length > 0) bytes += forTools + perTool * tools.length + utf8Length(offered)
  if (outputSchema !== undefined) bytes += perTool + utf8Length(JSON.stringify(outputSchema))
  for (const message of messages) bytes += bytesOf(message)
  return { bytes, shape: hash(`${model}\n${system}\n${offered}`) }
}

/** The most tokens a request can have: the reported tokens of an earlier one, plus the bytes added since. */
export function maxTokens(
  size: RequestSize,
  measured: (RequestSize & { readonly tokens: number }) | undefined,
): number {
  if (measured === undefined || measured.shape !== size.shape || measured.bytes > size.bytes)
    return size.bytes
  return Math.min(size.bytes, measured.tokens + size.bytes - measured.bytes)
}

function bytesOf(message: Message): number {
  let bytes = messageBytes.get(message)
  if (bytes !== undefined) return bytes
  bytes = perMessage + utf8Length(message.content ?? '')
  if (message.role === 'assistant') {
    for (const { id, function: f } of message.tool_calls ?? [])
      bytes += perCall + utf8Length(id) + utf8Length(f.name) + utf8Length(f.arguments)
    for (const { item } of message.reasoning?.items ?? []) bytes += perCall + utf8Length(JSON.stringify(item))
  } else {
    bytes += perImage * (message.images?.length ?? 0)
    if (message.role === 'tool_result') bytes += utf8Length(message.tool_call_id)
  }
  messageBytes.set(message, bytes)
  return bytes
}

function toolText(tools: readonly ToolOffer[]): string {
  let text = toolTexts.get(tools)
  if (text === undefined) {
    text = tools.length === 0 ? '' : JSON.stringify(tools)
    toolTexts.set(tools, text)
  }
  return text
}

function utf8Length(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    // The two units of a surrogate pair take four bytes; every other unit from here on takes three.
    length += code < 0x800 || (code >= 0xd800 && code <= 0xdbff) || (code >= 0xdc00 && code <= 0xdfff) ? 1 : 2
  }
  return length
}

/** Two FNV-1a hashes: enough to detect a change. */
function hash(text: string): string {
  let a = 0x811c9dc5
  let b = 0x1b873593
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x5bd1e995)
  }
  return `${(a >>> 0).toString(16)}${(b >>> 0).toString(16)}`
}
