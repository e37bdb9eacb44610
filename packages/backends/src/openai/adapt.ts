import type { Ended } from './exchange.ts'
import type { Quirks } from './request-body.ts'

/**
 * What to leave out or to name differently, when a server refused a request for how it was written; undefined when that was
 * not the reason. Every answer differs from the quirks before, so asking again comes to an end.
 */
export function adapt(
  quirks: Quirks,
  ended: Extract<Ended, { kind: 'status' }>,
  maxOutput: number | undefined,
): Quirks | undefined {
  if (ended.status !== 400 && ended.status !== 422 && ended.status !== 500) return undefined
  const { text } = ended
  const isGeneric =
    ended.status !== 500 &&
    /unknown field|unrecognized|unexpected|extra (inputs|fields)|not permitted|unsupported/i.test(text)
  if (
    !quirks.withoutUsage &&
    (/stream_options|include_usage/.test(text) || (isGeneric && !/max_/.test(text)))
  )
    return { ...quirks, withoutUsage: true }
  const hasLimit = maxOutput !== undefined && maxOutput < (quirks.omitLimitFrom ?? Number.POSITIVE_INFINITY)
  if (!hasLimit) return undefined
  const isTooMuch = /too (large|long|many|high)|at most|maximum|exceed|less than|context/i.test(text)
  if (quirks.maxField === undefined && /max_completion_tokens/.test(text) && !isTooMuch)
    return { ...quirks, maxField: 'max_tokens' }
  // A limit beyond what the model can ever write is no limit: the server's own will do.
  return isTooMuch ? { ...quirks, omitLimitFrom: maxOutput } : undefined
}
