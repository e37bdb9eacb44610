import type { ModelRequest } from '@cadre/core'
import type { ExchangeResult } from '../http/exchange.ts'
import { isSchemaError } from '../http/output-schema.ts'
import { type ChatQuirks, type LimitName, limitNames } from './request-body.ts'

/**
 * Returns what to omit or rename if a server rejected the format of a request; undefined if that was not the reason. Every
 * result differs from the previous quirks, so retries terminate.
 */
export function quirksAfterRejection(
  quirks: ChatQuirks,
  ended: Extract<ExchangeResult, { kind: 'status' }>,
  { maxOutput, outputSchema }: Pick<ModelRequest, 'maxOutput' | 'outputSchema'>,
): ChatQuirks | undefined {
  if (ended.status !== 400 && ended.status !== 422 && ended.status !== 500) return undefined
  const { text } = ended
  const sentSchema = outputSchema !== undefined && !quirks.withoutSchema
  if (sentSchema && isSchemaError(text)) return { ...quirks, withoutSchema: true }
  const other = withoutRejected(quirks, ended, maxOutput)
  // A server need not report what it does not support.
  return other ?? (sentSchema ? { ...quirks, withoutSchema: true } : undefined)
}

function withoutRejected(
  quirks: ChatQuirks,
  ended: Extract<ExchangeResult, { kind: 'status' }>,
  maxOutput: number | undefined,
): ChatQuirks | undefined {
  const { text } = ended
  const isGeneric =
    ended.status !== 500 &&
    /unknown field|unrecognized|unexpected|extra (inputs|fields)|not permitted|unsupported/i.test(text)
  if (
    !quirks.withoutUsage &&
    (/stream_options|include_usage/.test(text) || (isGeneric && !/max_/.test(text)))
  )
    return { ...quirks, withoutUsage: true }
  if (maxOutput === undefined) return undefined
  if (/too (large|long|many|high)|at most|maximum|exceed|less than|context/i.test(text))
    return withLowerLimit(quirks, Math.min(maxOutput, quirks.outputLimit ?? maxOutput), text)
  const refused = refusedIn(text)
  if (refused === undefined || quirks.refusedLimits?.includes(refused)) return undefined
  return { ...quirks, refusedLimits: [...(quirks.refusedLimits ?? []), refused] }
}

/** True if this server accepts a limit on the reply. */
export function acceptsReplyLimit({ refusedLimits = [] }: ChatQuirks): boolean {
  return refusedLimits.length < limitNames.length
}

/** The maximum that the server reports, or a quarter of the rejected limit. */
function withLowerLimit(quirks: ChatQuirks, limit: number, text: string): ChatQuirks | undefined {
  const named = (text.match(/\d+/g) ?? []).map(Number).filter((number) => number > 0 && number < limit)
  const outputLimit = named.length > 0 ? Math.max(...named) : Math.floor(limit / 4)
  if (outputLimit < 1) return undefined
  return { ...quirks, outputLimit, ...(/context/i.test(text) && { isTransient: true }) }
}

/** If the error names both parameters, the first is rejected and the second is the replacement. */
function refusedIn(text: string): LimitName | undefined {
  if (/same time|both/i.test(text) && /max_/.test(text)) return 'max_tokens'
  return /max_completion_tokens|\bmax_tokens\b/.exec(text)?.[0] as LimitName | undefined
}
