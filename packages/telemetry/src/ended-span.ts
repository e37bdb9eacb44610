import { type AttributeText, joinAttributes, quotedJson } from './attributes.ts'
import type { OpenSession, SpanLink } from './open-spans.ts'
import { nanosOf, randomSpanId, spanKinds } from './span.ts'

export interface HeadOptions {
  readonly name: string
  readonly kind?: 1 | 3
  /** Default: the session's span. */
  readonly parent?: string | undefined
  readonly links?: readonly SpanLink[]
  readonly status?: string
  /** After those of the session. */
  readonly attributes: AttributeText
}

/** The first part of a span in JSON, which many spans of a session share. Attributes come last, so that more can follow. */
export type SpanHead = string

export const okStatus = '{}'

/** Uses `join`, because V8 keeps a concatenated string as a tree of its parts, and would flatten that tree for each span. */
export function spanHeadOf(session: OpenSession, options: HeadOptions): SpanHead {
  const { name, kind = spanKinds.internal, links = [], status = okStatus } = options
  const parent = 'parent' in options ? options.parent : session.spanId
  return [
    '{"traceId":"',
    session.trace.traceId,
    parent === undefined ? '' : `","parentSpanId":"${parent}`,
    '","name":',
    quotedJson(name),
    `,"kind":${kind},"status":`,
    status,
    links.length > 0 ? `,"links":${JSON.stringify(links)}` : '',
    ',"attributes":[',
    joinAttributes(session.attributes, options.attributes),
  ].join('')
}

export interface SpanEnd {
  /** Set if other spans can refer to it. */
  readonly spanId?: string
  readonly begun: number
  readonly ended: number
  /** Its own attributes. */
  readonly attributes: AttributeText
}

/** A span in OTLP's JSON format: ids as hexadecimal digits, times as strings, enums as numbers. */
export function spanOf(
  head: SpanHead,
  { spanId = randomSpanId(), begun, ended, attributes }: SpanEnd,
): string {
  const own = attributes === '' ? head : `${head},${attributes}`
  const end = nanosOf(ended > begun ? ended : begun)
  return `${own}],"spanId":"${spanId}","startTimeUnixNano":"${nanosOf(begun)}","endTimeUnixNano":"${end}"}`
}

/** `message`: what the error says, if content is exported. */
export function errorStatus(message: unknown): string {
  return JSON.stringify({ code: 2, ...(typeof message === 'string' && { message }) })
}

export function secondsBetween(begun: number, ended: number): number {
  return Math.max(0, ended - begun) / 1000
}
