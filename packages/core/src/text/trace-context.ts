/** Where a tree of sessions belongs in the trace of a program that starts it. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits: the operation that started the tree. Absent if the trace begins with the tree. */
  readonly spanId?: string
  /** False: the program that started the trace does not record it. */
  readonly sampled: boolean
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const longest = 512

/**
 * Reads a W3C `traceparent`, or a trace id alone. Returns `undefined` for anything else, such as an id of zeros. Versions above 00 may
 * have more fields, which are ignored.
 */
export function readTrace(text: string | undefined): TraceContext | undefined {
  if (text === undefined || text.length > longest) return undefined
  if (/^[0-9a-f]{32}$/.test(text)) return isZero(text) ? undefined : { traceId: text, sampled: true }
  const [, version, traceId = '', spanId = '', flags = '', more] = traceparent.exec(text.trim()) ?? []
  if (version === undefined || version === 'ff' || isZero(traceId) || isZero(spanId)) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

function isZero(id: string): boolean {
  return /^0*$/.test(id)
}
