/** One subject of a call, for the patterns of permission rules. */
export interface CallSubject {
  /** For messages. Empty if the call has no particular subject. */
  readonly label: string
  /** True if any part or interpretation matches: enough for a restriction. */
  matchesSome(pattern: string): boolean
  /** True if every part matches in every interpretation: required to lift a restriction. */
  matchesWhole(pattern: string): boolean
}
