import type { TraceContext, Usage } from '@cadre/core'
import type { AttributeText, Values } from './attributes.ts'
import type { ModelName } from './model-name.ts'

export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
}

/** A session that is running in this process. Times are in milliseconds since 1970. */
export interface OpenSession {
  readonly id: string
  readonly agent: string
  readonly isEntry: boolean
  readonly model: string
  readonly name: ModelName
  readonly trace: TraceContext
  readonly isSampled: boolean
  /** Of every span: the session and its agent. */
  readonly attributes: AttributeText
  /** Of every request: the session, its agent and its model. */
  readonly chatAttributes: AttributeText
  /** What its requests are counted by. */
  readonly counted: { readonly chat: Values; readonly agent: Values }
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
  /** What the gate decided about it. */
  decision: AttributeText
}

/** A call of a session; one that is not known yet is added. */
export function callOf(session: OpenSession, id: string): OpenCall {
  const known = session.calls.get(id)
  if (known !== undefined) return known
  const call: OpenCall = { tool: 'unknown', input: undefined, begun: 0, isStarted: false, decision: '' }
  session.calls.set(id, call)
  return call
}

export function usageValues(usage: Usage): Values {
  return {
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
  }
}
