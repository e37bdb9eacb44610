/** One program that a line would start, as the words it would get: without quotes, without wrappers. */
export interface FoundCommand {
  /** Empty where there is no program, only a redirect or an assignment. */
  readonly words: readonly string[]
  /** The words as a person would write them. */
  readonly text: string
  readonly redirects: readonly FoundRedirect[]
  /** Positions of words whose value is only known when the line runs: `$x`, `$(…)`, what `xargs` appends. */
  readonly open?: readonly number[]
  /** Positions of words that stand for the names of files: `*.ts`. */
  readonly globs?: readonly number[]
  /** Another command of the line answers for it (`timeout 5 ls`, `npx eslint`): it needs no permission of its own, and may be refused one. */
  readonly covered?: true
  /** It takes its program from its input. */
  readonly readsProgram?: true
  /** Set before it: `NODE_ENV=test npm test`. Names only. */
  readonly variables?: readonly string[]
}

export interface FoundRedirect {
  readonly path: string
  readonly kind: 'read' | 'write'
  /** It stands for the names of files that fit it, which are only looked up. */
  readonly isGlob?: true
}

/** Everything that can be said about a line without running it. */
export interface CommandLine {
  readonly commands: readonly FoundCommand[]
  /** Why a person must look at it, a sentence each. */
  readonly doubts: readonly string[]
  /** Folders in which its commands may run, from the workspace: `.`, and where `cd` leads. */
  readonly folders: readonly string[]
  /** Set: refused whatever anybody allows, and why. */
  readonly refused?: string
  /** What refused it, short: `dangerous: rm -rf /`. */
  readonly refusedBy?: string
}
