import type { JsonObject } from '@cadre/core'
import type { Ended } from '../http/exchange.ts'
import { isAboutSchema, isStrict } from '../http/output-schema.ts'
import type { ServerApi } from '../http/server-api.ts'
import { type BodyOptions, messagesBody, type Quirks } from './messages-body.ts'
import { MessagesReader } from './messages-reader.ts'

/** Anthropic's Messages API. */
export function messagesApi(options: BodyOptions): ServerApi<Quirks> {
  return {
    path: '/v1/messages',
    noQuirks: {},
    body: (model, request, quirks) => messagesBody(model, request, quirks, options),
    reader: (tell, hide) => new MessagesReader(options.id, tell, hide),
    adapt: (quirks, ended, { maxOutput = options.maxOutput, outputSchema }) =>
      adapt(quirks, ended, { maxOutput, outputSchema }),
    takesLimit: () => true,
    lasting: ({ isPassing, mostOutput, ...rest }) =>
      isPassing || mostOutput === undefined ? rest : { ...rest, mostOutput },
  }
}

function adapt(
  quirks: Quirks,
  { status, text }: Extract<Ended, { kind: 'status' }>,
  { maxOutput, outputSchema }: { readonly maxOutput: number; readonly outputSchema: JsonObject | undefined },
): Quirks | undefined {
  if (status !== 400 && status !== 422) return undefined
  const sentSchema = outputSchema !== undefined && !quirks.withoutSchema && isStrict(outputSchema)
  if (sentSchema && isAboutSchema(text)) return { ...quirks, withoutSchema: true }
  // A server need not report what it does not support.
  return (
    withoutWhatIsRefused(quirks, text, maxOutput) ??
    (sentSchema ? { ...quirks, withoutSchema: true } : undefined)
  )
}

function withoutWhatIsRefused(quirks: Quirks, text: string, maxOutput: number): Quirks | undefined {
  const limit = Math.min(maxOutput, quirks.mostOutput ?? maxOutput)
  // "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000"
  const [, input, window] = /(\d+) \+ \d+ > (\d+)/.exec(text) ?? []
  if (input !== undefined && /context/i.test(text)) {
    const room = Number(window) - Number(input)
    return room >= 1024 && room < limit ? { ...quirks, mostOutput: room, isPassing: true } : undefined
  }
  // "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens"
  const [, most] = /max_tokens: \d+ > (\d+)/.exec(text) ?? []
  if (most !== undefined) return Number(most) < limit ? { ...quirks, mostOutput: Number(most) } : undefined
  if (!quirks.withoutThinking && /thinking/i.test(text)) return { ...quirks, withoutThinking: true }
  if (!quirks.withoutCache && /cache_control/i.test(text)) return { ...quirks, withoutCache: true }
  return undefined
}
