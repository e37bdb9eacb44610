/** What is wrong with one file of the home, or with one part of the daemon. */
export interface Problem {
  /** Relative to the home; a name in brackets where it is about no file: `[slack]`. */
  readonly file: string
  readonly line?: number
  readonly column?: number
  readonly code?: string
  readonly severity: 'error' | 'warning'
  readonly message: string
}

/**
 * What is wrong at this time, kept until it is mended: `cadre status` shows it, and each one that comes or goes is noted once.
 */
export interface Problems {
  /** Everything that `about` has to say of this file now; an empty list when it is in order. */
  report(about: string, file: string, problems: readonly Omit<Problem, 'file'>[]): void
  list(): readonly Problem[]
}
