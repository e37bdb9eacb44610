import type { Ended } from '../http/exchange.ts'
import type { ServerApi } from '../http/server-api.ts'
import { type BodyOptions, type Quirks, responsesBody } from './responses-body.ts'
import { ResponsesReader } from './responses-reader.ts'

/** OpenAI's Responses API. */
export function responsesApi(options: BodyOptions): ServerApi<Quirks> {
  return {
    path: '/responses',
    noQuirks: {},
    body: (model, request, quirks) => responsesBody(model, request, quirks, options),
    reader: (tell, hide) => new ResponsesReader(options.id, tell, hide),
    adapt: (quirks, ended, { maxOutput }) => adapt(quirks, ended, maxOutput),
    takesLimit: () => true,
    lasting: (quirks) => quirks,
  }
}

function adapt(
  quirks: Quirks,
  { status, text }: Extract<Ended, { kind: 'status' }>,
  maxOutput: number | undefined,
): Quirks | undefined {
  if (status !== 400 && status !== 422) return undefined
  // Models without reasoning reject requests for encrypted reasoning.
  if (!quirks.withoutReasoning && /encrypted|reasoning|\binclude\b/i.test(text))
    return { ...quirks, withoutReasoning: true }
  if (!quirks.withoutCacheKey && /prompt_cache_key/.test(text)) return { ...quirks, withoutCacheKey: true }
  if (maxOutput === undefined || !/max_output_tokens/.test(text)) return undefined
  const limit = Math.min(maxOutput, quirks.mostOutput ?? maxOutput)
  const most = Math.max(0, ...(text.match(/\d+/g) ?? []).map(Number).filter((number) => number < limit))
  return most < 16 ? undefined : { ...quirks, mostOutput: most }
}
