import type { Image, Message, ModelRequest } from '@cadre/core'

/** A message of the language model API as plain data. */
export interface PlainMessage {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly PlainPart[]
}

export type PlainPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: 'image'; readonly image: Image }
  | {
      readonly kind: 'result'
      readonly id: string
      readonly text: string
      readonly images: readonly Image[]
    }

/**
 * Converts the conversation for the language model API. It has no system role, so the system prompt is the first message.
 * The results of one reply are one message, because models pair them with the calls of the previous message.
 */
export function plainMessages(
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
  nameOf: (name: string) => string,
): PlainMessage[] {
  const plain: { role: PlainMessage['role']; parts: PlainPart[] }[] = []
  if (system.trim() !== '') plain.push({ role: 'user', parts: [{ kind: 'text', text: system }] })
  let isAfterResult = false
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const parts = partsOf(message, nameOf)
    const isResult = message.role === 'tool_result'
    const last = plain.at(-1)
    if (isResult && isAfterResult && last !== undefined) last.parts.push(...parts)
    // Some services reject a message without content.
    else if (parts.length > 0) plain.push({ role, parts })
    isAfterResult = isResult
  }
  return plain
}

function partsOf(message: Message, nameOf: (name: string) => string): PlainPart[] {
  switch (message.role) {
    case 'user':
      return [...textPart(message.content), ...(message.images ?? []).map(imagePart)]
    case 'tool_result':
      return [
        {
          kind: 'result',
          id: message.tool_call_id,
          // Some services reject an empty result.
          text: message.content === '' ? '(no output)' : message.content,
          images: message.images ?? [],
        },
      ]
    case 'assistant':
      return [
        ...textPart(message.content ?? ''),
        ...(message.tool_calls ?? []).map(
          ({ id, function: { name, arguments: input } }): PlainPart => ({
            kind: 'call',
            id,
            name: nameOf(name),
            input: inputOf(input),
          }),
        ),
      ]
  }
}

function textPart(text: string): PlainPart[] {
  return text.trim() === '' ? [] : [{ kind: 'text', text }]
}

function imagePart(image: Image): PlainPart {
  return { kind: 'image', image }
}

/** The API requires an object, but models of other backends may have written something else. */
function inputOf(written: string): object {
  try {
    const value: unknown = JSON.parse(written)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Sent to the model as it wrote it.
  }
  return written.trim() === '' ? {} : { input: written }
}
