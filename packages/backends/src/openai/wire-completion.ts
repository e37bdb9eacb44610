/** The possible content of a completion. Nothing is trusted: every field is checked before use. */
export interface WireCompletion {
  readonly error?: unknown
  readonly model?: unknown
  readonly usage?: WireUsage | null
  readonly choices?: readonly WireChoice[] | null
}

export interface WireUsage {
  readonly prompt_tokens?: unknown
  readonly completion_tokens?: unknown
  /** Can exceed the sum: some servers count reasoning tokens only here. */
  readonly total_tokens?: unknown
  readonly prompt_tokens_details?: { readonly cached_tokens?: unknown } | null
  /** In US dollars; some routers report it. */
  readonly cost?: unknown
}

export interface WireChoice {
  readonly delta?: WireDelta | null
  /** In a completion that is not streamed. */
  readonly message?: WireDelta | null
  readonly finish_reason?: unknown
}

export interface WireDelta {
  readonly content?: unknown
  readonly refusal?: unknown
  readonly tool_calls?: readonly WireCallDelta[] | null
}

export interface WireCallDelta {
  readonly index?: unknown
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null
}
