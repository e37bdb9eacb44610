import type { List, Word } from './line/line.ts'

/** One program that a line would start. */
export interface FoundCommand {
  /** Empty where there are only redirects. */
  readonly words: readonly Word[]
  /** The words as a person would write them. */
  readonly text: string
  readonly redirects: readonly FoundRedirect[]
  readonly variables: { readonly [name: string]: string }
  /** Where it may run, as paths from the folder in which the line starts: `.`, and where a `cd` before it leads. */
  readonly folders: readonly string[]
  /** It was found behind another program, which is only known by its name (`xargs rm`): it restricts, and allows nothing. */
  readonly isHint?: true
}

export interface FoundRedirect {
  readonly path: string
  readonly kind: 'read' | 'write'
}

/** Everything that can be said about a line without running it. */
export interface CommandLine {
  readonly commands: readonly FoundCommand[]
  /** What runs when the line is allowed. Absent where only a shell could run it. */
  readonly plan?: List
  /** Why it needs a shell. */
  readonly why?: string
  /** Set: refused whatever anybody allows, and why. */
  readonly refused?: string
  /** What refused it, short: `dangerous: rm -rf /`. */
  readonly refusedBy?: string
}
