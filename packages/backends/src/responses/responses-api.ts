import type { ModelRequest } from '@cadre/core'
import type { ExchangeResult } from '../http/exchange.ts'
import { isSchemaError } from '../http/output-schema.ts'
import type { ServerApi } from '../http/server-api.ts'
import { type ResponsesBodyOptions, type ResponsesQuirks, responsesBody } from './responses-body.ts'
import { ResponsesReader } from './responses-reader.ts'

/** OpenAI's Responses API. */
export function responsesApi(options: ResponsesBodyOptions): ServerApi<ResponsesQuirks> {
  return {
    path: '/responses',
    noQuirks: {},
    body: (model, request, quirks) => responsesBody(model, request, quirks, options),
    reader: (tell, hide) => new ResponsesReader(options.id, tell, hide),
    adapt,
    acceptsReplyLimit: () => true,
    lasting: (quirks) => quirks,
  }
}

function adapt(
  quirks: ResponsesQuirks,
  ended: Extract<ExchangeResult, { kind: 'status' }>,
  { maxOutput, outputSchema }: Pick<ModelRequest, 'maxOutput' | 'outputSchema'>,
): ResponsesQuirks | undefined {
  const { status, text } = ended
  if (status !== 400 && status !== 422) return undefined
  const sentSchema = outputSchema !== undefined && !quirks.withoutSchema
  if (sentSchema && isSchemaError(text)) return { ...quirks, withoutSchema: true }
  // A server need not report what it does not support.
  return (
    withoutRejected(quirks, text, maxOutput) ?? (sentSchema ? { ...quirks, withoutSchema: true } : undefined)
  )
}

function withoutRejected(
  quirks: ResponsesQuirks,
  text: string,
  maxOutput: number | undefined,
): ResponsesQuirks | undefined {
  // Models without reasoning reject requests for encrypted reasoning.
  if (!quirks.withoutReasoning && /encrypted|reasoning|\binclude\b/i.test(text))
    return { ...quirks, withoutReasoning: true }
  if (!quirks.withoutCacheKey && /prompt_cache_key/.test(text)) return { ...quirks, withoutCacheKey: true }
  if (maxOutput === undefined || !/max_output_tokens/.test(text)) return undefined
  const limit = Math.min(maxOutput, quirks.outputLimit ?? maxOutput)
  const max = Math.max(0, ...(text.match(/\d+/g) ?? []).map(Number).filter((number) => number < limit))
  return max < 16 ? undefined : { ...quirks, outputLimit: max }
}
