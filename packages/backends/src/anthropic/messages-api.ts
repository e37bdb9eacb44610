import type { JsonObject } from '@cadre/core'
import type { ExchangeResult } from '../http/exchange.ts'
import { isSchemaError, isStrict } from '../http/output-schema.ts'
import type { ServerApi } from '../http/server-api.ts'
import { type MessagesBodyOptions, type MessagesQuirks, messagesBody } from './messages-body.ts'
import { MessagesReader } from './messages-reader.ts'

/** Anthropic's Messages API. */
export function messagesApi(options: MessagesBodyOptions): ServerApi<MessagesQuirks> {
  return {
    path: '/v1/messages',
    noQuirks: {},
    body: (model, request, quirks) => messagesBody(model, request, quirks, options),
    reader: (tell, hide) => new MessagesReader(options.id, tell, hide),
    adapt: (quirks, ended, { maxOutput = options.maxOutput, outputSchema }) =>
      adapt(quirks, ended, { maxOutput, outputSchema }),
    acceptsReplyLimit: () => true,
    lasting: ({ isTransient, outputLimit, ...rest }) =>
      isTransient || outputLimit === undefined ? rest : { ...rest, outputLimit },
  }
}

function adapt(
  quirks: MessagesQuirks,
  { status, text }: Extract<ExchangeResult, { kind: 'status' }>,
  { maxOutput, outputSchema }: { readonly maxOutput: number; readonly outputSchema: JsonObject | undefined },
): MessagesQuirks | undefined {
  if (status !== 400 && status !== 422) return undefined
  const sentSchema = outputSchema !== undefined && !quirks.withoutSchema && isStrict(outputSchema)
  if (sentSchema && isSchemaError(text)) return { ...quirks, withoutSchema: true }
  // A server need not report what it does not support.
  return (
    withoutRejected(quirks, text, maxOutput) ?? (sentSchema ? { ...quirks, withoutSchema: true } : undefined)
  )
}

function withoutRejected(
  quirks: MessagesQuirks,
  text: string,
  maxOutput: number,
): MessagesQuirks | undefined {
  const limit = Math.min(maxOutput, quirks.outputLimit ?? maxOutput)
  // "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000"
  const [, input, window] = /(\d+) \+ \d+ > (\d+)/.exec(text) ?? []
  if (input !== undefined && /context/i.test(text)) {
    const room = Number(window) - Number(input)
    return room >= 1024 && room < limit ? { ...quirks, outputLimit: room, isTransient: true } : undefined
  }
  // "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens"
  const [, max] = /max_tokens: \d+ > (\d+)/.exec(text) ?? []
  if (max !== undefined) return Number(max) < limit ? { ...quirks, outputLimit: Number(max) } : undefined
  if (!quirks.withoutThinking && /thinking/i.test(text)) return { ...quirks, withoutThinking: true }
  if (!quirks.withoutCache && /cache_control/i.test(text)) return { ...quirks, withoutCache: true }
  return undefined
}
