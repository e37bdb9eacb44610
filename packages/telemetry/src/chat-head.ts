import { type AttributeText, attributeOf, joinAttributes } from './attributes.ts'
import { errorStatus, okStatus, type SpanHead, spanHeadOf } from './ended-span.ts'
import type { OpenSession } from './open-spans.ts'
import { spanKinds } from './span.ts'

/** The head of a request's span. Requests of a session that got the same kind of answer share it. */
export function chatHead(session: OpenSession, answer: AttributeText, error: string | undefined): SpanHead {
  if (error === undefined && session.chatHead?.answer === answer) return session.chatHead.text
  const { known } = session
  const attributes = joinAttributes(known.chatAttributes, answer)
  const text = spanHeadOf(session, {
    name: `chat ${known.name.model}`,
    kind: spanKinds.client,
    status: error === undefined ? okStatus : errorStatus(undefined),
    attributes: joinAttributes(attributes, attributeOf('error.type', error)),
  })
  if (error === undefined) session.chatHead = { answer, text }
  return text
}
