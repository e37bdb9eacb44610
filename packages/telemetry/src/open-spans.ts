import type { TraceContext, Usage } from '@cadre/core'
import type { AgentModel } from './agent-model.ts'
import { type AttributeText, attributeOf, joinAttributes } from './attributes.ts'
import type { SpanHead } from './ended-span.ts'

export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
}

/** A session that is running in this process. Times are in milliseconds since 1970. */
export interface OpenSession {
  readonly id: string
  readonly agent: string
  readonly isEntry: boolean
  readonly known: AgentModel
  readonly trace: TraceContext
  readonly isSampled: boolean
  /** Of every span: the session and its agent. */
  readonly attributes: AttributeText
  readonly spanId: string
  readonly parent: string | undefined
  readonly links: readonly SpanLink[]
  readonly begun: number
  /** What it was asked. */
  readonly input: string | undefined
  /** Of its own replies, since `begun`. */
  usage: Usage
  chat: OpenChat | undefined
  /** Calls without a result. */
  readonly calls: Map<string, OpenCall>
  /** Questions to a person without an answer. */
  readonly questions: Map<string, { readonly call: string; readonly begun: number; readonly text: string }>
  hasEnded: boolean
  /** Of its last request and call: most of its spans begin like the one before. */
  chatHead: { readonly answer: AttributeText; readonly text: SpanHead } | undefined
  callHead: { readonly tool: string; readonly decision: AttributeText; readonly text: SpanHead } | undefined
}

export interface OpenChat {
  readonly round: number
  readonly begun: number
  /** When the first text arrived. */
  first: number | undefined
}

export interface OpenCall {
  tool: string
  input: string | undefined
  /** 0 if nothing has happened with it yet. */
  begun: number
  isStarted: boolean
  /** The gate's decision for the call. */
  decision: AttributeText
}

/** A call of a session; one that is not known yet is added. */
export function openCallOf(session: OpenSession, id: string): OpenCall {
  const known = session.calls.get(id)
  if (known !== undefined) return known
  const call: OpenCall = { tool: 'unknown', input: undefined, begun: 0, isStarted: false, decision: '' }
  session.calls.set(id, call)
  return call
}

/** The tokens of a request or of a session. */
export function usageAttributes({ input, output, cacheRead, cacheWrite }: Usage): AttributeText {
  const used = joinAttributes(
    attributeOf('gen_ai.usage.input_tokens', input),
    attributeOf('gen_ai.usage.output_tokens', output),
  )
  if (cacheRead === undefined && cacheWrite === undefined) return used
  const cached = joinAttributes(
    attributeOf('gen_ai.usage.cache_read.input_tokens', cacheRead),
    attributeOf('gen_ai.usage.cache_creation.input_tokens', cacheWrite),
  )
  return joinAttributes(used, cached)
}
