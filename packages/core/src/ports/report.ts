/** Tokens and money. `cost` is in US dollars and absent when a price is not known. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cost?: number
  /** Premium requests of a Copilot subscription, with the multiplier of the model. */
  readonly premium?: number
}

export type ReportStatus = 'completed' | 'incomplete' | 'error' | 'cancelled'

export interface Handoff {
  readonly label: string
  readonly agent: string
  readonly prompt: string
  /** Sent at once when chosen; otherwise the prompt is only filled in. */
  readonly send?: boolean
  readonly model?: string
  /** What the other agent gets to know of the conversation so far. Default `full`. */
  readonly context?: 'full' | 'summary' | 'none'
}

/** Something a person should know about a run, that is not the agent's own text. */
export interface Notice {
  readonly code: string
  readonly message: string
}

/** What a session hands back. The only thing that crosses from a child to its parent. */
export interface Report {
  readonly type: 'report'
  readonly session: string
  readonly agent: string
  readonly status: ReportStatus
  /** The agent's own words. Empty only when it has said nothing since a person did. */
  readonly text: string
  /** The required sections that were found, by their heading. */
  readonly sections?: { readonly [heading: string]: string }
  readonly handoffs?: readonly Handoff[]
  readonly model: string
  /** Of the session and everything it started. */
  readonly usage: Usage
  /** Sessions in the subtree, this one included. */
  readonly sessions: number
  /** Calls that were run in the subtree. */
  readonly calls: number
  readonly notices?: readonly Notice[]
  /** Of a teammate: how many messages it had received by then. */
  readonly messages?: number
}

export const noUsage: Usage = { input: 0, output: 0 }

export function addUsage(a: Usage, b: Usage | undefined): Usage {
  if (b === undefined) return a
  const cost = sumOf(a.cost, b.cost)
  const premium = sumOf(a.premium, b.premium)
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    ...(cost !== undefined && { cost }),
    ...(premium !== undefined && { premium }),
  }
}

function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
}
