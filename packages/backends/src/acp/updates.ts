import type { Usage } from '@cadre/core'
import { listOf, objectOf, textOf } from '../json-values.ts'

/** What an agent program reports during a turn. */
export type Update =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool'; readonly id: string; readonly title: string; readonly status: string }
  | { readonly kind: 'options'; readonly options: readonly ConfigOption[] }
  | { readonly kind: 'mode'; readonly mode: string }
  | { readonly kind: 'other' }

export interface ConfigOption {
  readonly id: string
  readonly category: string
  readonly value: string
  readonly values: readonly string[]
}

/** Reads an update of the wanted session. Undefined: it belongs to another session, or has no known form. */
export function readUpdate(params: unknown, session: string): Update | undefined {
  const { sessionId, update: sent } = objectOf(params)
  if (sessionId !== session) return undefined
  const update = objectOf(sent)
  switch (update['sessionUpdate']) {
    case 'agent_message_chunk': {
      const { type, text } = objectOf(update['content'])
      return type === 'text' && typeof text === 'string' ? { kind: 'text', text } : { kind: 'other' }
    }
    case 'tool_call':
    case 'tool_call_update': {
      const { toolCallId, title, status } = update
      return { kind: 'tool', id: textOf(toolCallId), title: textOf(title), status: textOf(status) }
    }
    case 'config_option_update':
      return { kind: 'options', options: readOptions(update['configOptions']) }
    case 'current_mode_update':
      // The specification's example calls it `modeId`.
      return { kind: 'mode', mode: textOf(update['currentModeId'] ?? update['modeId']) }
    default:
      return { kind: 'other' }
  }
}

export function readOptions(value: unknown): ConfigOption[] {
  return listOf(value).map(({ id, category, currentValue, options }) => ({
    id: textOf(id),
    category: textOf(category),
    value: String(currentValue ?? ''),
    values: listOf(options).flatMap((one) =>
      one['options'] === undefined
        ? [textOf(one['value'])]
        : listOf(one['options']).map((inner) => textOf(inner['value'])),
    ),
  }))
}

/** The usage in the answer to a prompt. It covers the whole turn. */
export function readUsage(value: unknown): Usage | undefined {
  const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = objectOf(value)
  const count = (number: unknown) =>
    typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
  const [input, output] = [count(inputTokens), count(outputTokens)]
  if (input === undefined || output === undefined) return undefined
  const [cacheRead, cacheWrite] = [count(cachedReadTokens), count(cachedWriteTokens)]
  return {
    input,
    output,
    ...(cacheRead && { cacheRead }),
    ...(cacheWrite && { cacheWrite }),
  }
}

/** The usage of a turn as Gemini CLI reports it: `_meta.quota.token_count`. */
export function readQuota(meta: unknown): Usage | undefined {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = objectOf(
    objectOf(objectOf(meta)['quota'])['token_count'],
  )
  return readUsage({ inputTokens, outputTokens })
}
