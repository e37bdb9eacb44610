/** A problem in one file of the home, or in one part of the daemon. */
export interface Problem {
  /** Relative to the home; a name in brackets if it is not about a file: `[slack]`. */
  readonly file: string
  readonly line?: number
  readonly column?: number
  readonly code?: string
  readonly severity: 'error' | 'warning'
  readonly message: string
}

/** Current problems, kept until they are fixed: `cadre status` shows them, and each change is noted once. */
export interface Problems {
  /** Replaces all problems that `about` reports for this file; an empty list if there are none. */
  report(about: string, file: string, problems: readonly Omit<Problem, 'file'>[]): void
  list(): readonly Problem[]
}
