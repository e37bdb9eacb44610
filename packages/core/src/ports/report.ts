import type { Json } from './json.ts'

/** Tokens and cost. `cost` is in US dollars, and absent if the price of a model is unknown. */
export interface Usage {
  /** All input tokens, including those that were read from or written to a prompt cache. */
  readonly input: number
  readonly output: number
  /** Input tokens that the server read from its prompt cache, if it reports them. */
  readonly cacheRead?: number
  /** Input tokens that the server wrote to its prompt cache, if it reports them. */
  readonly cacheWrite?: number
  readonly cost?: number
  /** Copilot premium requests, with the multiplier of the model. */
  readonly premium?: number
}

/**
 * What a budget has counted. It differs from `Usage`: a request whose usage is unknown counts with everything that was reserved for it.
 */
export interface SpentBudget {
  /** Input and output tokens together. */
  readonly tokens: number
  /** US dollars. */
  readonly cost: number
  /** Calls that were started. */
  readonly calls: number
}

export const nothingCounted: SpentBudget = { tokens: 0, cost: 0, calls: 0 }

export function addSpent(a: SpentBudget, b: SpentBudget): SpentBudget {
  return { tokens: a.tokens + b.tokens, cost: a.cost + b.cost, calls: a.calls + b.calls }
}

export type ReportStatus = 'completed' | 'incomplete' | 'error' | 'cancelled'

export interface Handoff {
  readonly label: string
  readonly agent: string
  readonly prompt: string
  /** True: the prompt is sent when the user selects the handoff. Otherwise it is only filled in. */
  readonly send?: boolean
  readonly model?: string
  /** How much of the conversation the other agent receives. Default: `full`. */
  readonly context?: 'full' | 'summary' | 'none'
}

/** A message to the user about a run, not written by an agent. */
export interface Notice {
  readonly code: string
  readonly message: string
}

/** The result of a session. A parent session sees no other part of a child. */
export interface Report {
  readonly type: 'report'
  readonly session: string
  readonly agent: string
  readonly status: ReportStatus
  /** The agent's answer. Empty only if the agent wrote nothing since the last message of a person. */
  readonly text: string
  /** The required sections in the text, by heading. */
  readonly sections?: { readonly [heading: string]: string }
  /** The JSON value in the text, if the session has an output schema and the value validates. */
  readonly output?: Json
  readonly handoffs?: readonly Handoff[]
  readonly model: string
  /** The usage of the session and everything it started. */
  readonly usage: Usage
  /** The number of sessions in the subtree, including this one. */
  readonly sessions: number
  /** The number of calls that ran in the subtree. */
  readonly calls: number
  readonly notices?: readonly Notice[]
  /** For a teammate: how many messages it has received so far. */
  readonly messages?: number
}

export const noUsage: Usage = { input: 0, output: 0 }

export function addUsage(a: Usage, b: Usage | undefined): Usage {
  if (b === undefined) return a
  const cost = sumOf(a.cost, b.cost)
  const premium = sumOf(a.premium, b.premium)
  const cacheRead = sumOf(a.cacheRead, b.cacheRead)
  const cacheWrite = sumOf(a.cacheWrite, b.cacheWrite)
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(cost !== undefined && { cost }),
    ...(premium !== undefined && { premium }),
  }
}

function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
}
