/** A hook that has run. Times are in milliseconds since 1970. */
export interface HookRun {
  readonly session: string
  /** The call that it was asked about. */
  readonly call?: string
  /** `PreToolUse`, for example. */
  readonly event: string
  /** Where it is written: `path:line`. */
  readonly place: string
  readonly begun: number
  readonly ended: number
  /** What it decided about a call. */
  readonly decision?: string
  /** Why it failed: `timeout`, `exit 1`. */
  readonly error?: string
}
