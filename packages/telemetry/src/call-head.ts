import { attributeOf, joinAttributes } from './attributes.ts'
import { okStatus, type SpanHead, spanHeadOf } from './ended-span.ts'
import type { OpenCall, OpenSession } from './open-spans.ts'

export interface CallFailure {
  readonly error: string
  readonly outcome: string
  /** In JSON. */
  readonly status: string
}

/** The head of a call's span. Calls of a session that were done, to the same tool and with the same decision, share it. */
export function callHead(session: OpenSession, call: OpenCall, failure: CallFailure | undefined): SpanHead {
  const { tool, decision } = call
  const { callHead: last } = session
  if (failure === undefined && last?.tool === tool && last.decision === decision) return last.text
  const { outcome = 'done', error, status = okStatus } = failure ?? {}
  const judged = joinAttributes(session.known.tool(tool).attributes, decision)
  const settled = joinAttributes(judged, attributeOf('cadre.call.outcome', outcome))
  const attributes = joinAttributes(settled, attributeOf('error.type', error))
  const text = spanHeadOf(session, { name: `execute_tool ${tool}`, status, attributes })
  if (failure === undefined) session.callHead = { tool, decision, text }
  return text
}
