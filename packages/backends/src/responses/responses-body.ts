import type { Image, JsonObject, Message, ModelRequest } from '@cadre/core'
import { inputOf, wellFormed, withReasoning } from '../http/message-parts.ts'
import { isStrict } from '../http/output-schema.ts'

/** Features that this server was found not to support. */
export interface ResponsesQuirks {
  /** Without encrypted reasoning: the model has none, or the server does not support it. */
  readonly withoutReasoning?: boolean
  readonly withoutCacheKey?: boolean
  readonly withoutSchema?: boolean
  /** The highest limit on output tokens that it accepts. */
  readonly outputLimit?: number
}

export interface ResponsesBodyOptions {
  /** The model, as `Model.id`. */
  readonly id: string
  readonly reasoningEffort: string | undefined
}

/** Builds the body of a request. Nothing is stored on the server: the whole conversation is sent, with its reasoning. */
export function responsesBody(
  model: string,
  request: ModelRequest,
  quirks: ResponsesQuirks,
  { id, reasoningEffort }: ResponsesBodyOptions,
): string {
  const { system, messages, tools, maxOutput, session, outputSchema: schema } = request
  const limit =
    maxOutput === undefined ? quirks.outputLimit : Math.min(maxOutput, quirks.outputLimit ?? maxOutput)
  return JSON.stringify({
    model,
    ...(system !== '' && { instructions: wellFormed(system) }),
    input: messages.flatMap((message) => itemsOf(message, quirks.withoutReasoning ? '' : id)),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        name,
        description,
        parameters,
        // Strict schemas require every property to be required, which Cadre's do not.
        strict: false,
      })),
    }),
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(schema !== undefined &&
      !quirks.withoutSchema && {
        text: { format: { type: 'json_schema', name: 'output', schema, strict: isStrict(schema) } },
      }),
    ...(!quirks.withoutReasoning && {
      include: ['reasoning.encrypted_content'],
      ...(reasoningEffort !== undefined && { reasoning: { effort: reasoningEffort } }),
    }),
    ...(!quirks.withoutCacheKey && { prompt_cache_key: session }),
    store: false,
    stream: true,
  })
}

function itemsOf(message: Message, id: string): JsonObject[] {
  if (message.role === 'tool_result') {
    const { content, images = [], tool_call_id: call_id } = message
    const output =
      images.length === 0
        ? wellFormed(content)
        : [...(content === '' ? [] : [textPart(content)]), ...images.map(imagePart)]
    return [{ type: 'function_call_output', call_id, output }]
  }
  if (message.role === 'user') {
    const { content, images = [] } = message
    if (images.length === 0) return [{ role: 'user', content: wellFormed(content) }]
    const parts = [...(content === '' ? [] : [textPart(content)]), ...images.map(imagePart)]
    return [{ role: 'user', content: parts }]
  }
  const { content, tool_calls: calls = [], reasoning } = message
  const parts: JsonObject[] = [
    ...(content ? [{ role: 'assistant', content: wellFormed(content) }] : []),
    ...calls.map((call) => ({
      type: 'function_call',
      call_id: call.id,
      name: call.function.name,
      arguments: JSON.stringify(inputOf(call)),
    })),
  ]
  // Reasoning must be followed by its result.
  return parts.length === 0 ? [] : withReasoning(parts, reasoning, id)
}

function textPart(text: string): JsonObject {
  return { type: 'input_text', text: wellFormed(text) }
}

function imagePart({ mime, data }: Image): JsonObject {
  return { type: 'input_image', image_url: `data:${mime};base64,${data}` }
}
