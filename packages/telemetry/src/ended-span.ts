import { type AttributeText, attributesOf, joinAttributes, quoted, type Values } from './attributes.ts'
import type { Content } from './content.ts'
import type { OpenSession, SpanLink } from './open-session.ts'
import { nanosOf, randomSpanId, spanKinds } from './span.ts'

export interface EndedSpan {
  readonly name: string
  readonly kind?: 1 | 3
  /** Set if other spans can name it. */
  readonly spanId?: string
  /** Default: the span of the session. */
  readonly parent?: string | undefined
  readonly links?: readonly SpanLink[]
  readonly begun: number
  readonly ended: number
  /** The kind of error: a code. */
  readonly error?: string | undefined
  /** What the error says. It is content. */
  readonly message?: string | undefined
  /** Attributes before its own. Default: those of the session. */
  readonly common?: AttributeText
  readonly values: Values
  /** Masked and cut already. */
  readonly content?: Values | undefined
}

/** A span as OTLP writes it in JSON: ids in hexadecimal digits, times as strings, enums as numbers. */
export function spanOf(session: OpenSession, ended: EndedSpan, content: Content): string {
  const { traceId } = session.trace
  const { kind = spanKinds.internal, links = [], begun, error } = ended
  const parent = 'parent' in ended ? ended.parent : session.spanId
  let attributes = joinAttributes(ended.common ?? session.attributes, attributesOf(ended.values))
  if (error !== undefined) attributes = joinAttributes(attributes, attributesOf({ 'error.type': error }))
  if (ended.content !== undefined)
    attributes = joinAttributes(attributes, attributesOf(ended.content, Number.POSITIVE_INFINITY))
  return `{"traceId":"${traceId}","spanId":"${ended.spanId ?? randomSpanId()}"${
    parent === undefined ? '' : `,"parentSpanId":"${parent}"`
  },"name":${quoted(ended.name)},"kind":${kind},"startTimeUnixNano":"${nanosOf(begun)}","endTimeUnixNano":"${nanosOf(
    Math.max(begun, ended.ended),
  )}","attributes":[${attributes}]${links.length > 0 ? `,"links":${JSON.stringify(links)}` : ''},"status":${
    error === undefined ? '{}' : statusOf(content.text('message', ended.message)['message'])
  }}`
}

function statusOf(message: unknown): string {
  return JSON.stringify({ code: 2, ...(typeof message === 'string' && { message }) })
}

export function seconds(begun: number, ended: number): number {
  return Math.max(0, ended - begun) / 1000
}
