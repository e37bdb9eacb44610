/** A hook that has run. Times are in milliseconds since 1970. */
export interface HookRun {
  readonly session: string
  /** The call that the hook was run for. */
  readonly call?: string
  /** `PreToolUse`, for example. */
  readonly event: string
  /** The hook's location: `path:line`. */
  readonly place: string
  readonly begun: number
  readonly ended: number
  /** The hook's decision for a call. */
  readonly decision?: string
  /** Why the hook failed: `timeout`, `exit 1`. */
  readonly error?: string
}
