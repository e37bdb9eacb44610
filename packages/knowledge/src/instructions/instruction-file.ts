/** A file with instructions for agents. */
export interface InstructionFile {
  /** The real path. */
  readonly real: string
  /** The path for messages. */
  readonly shown: string
  readonly text: string
  /** Set if it applies only to files that match one of these globs, relative to `base`. */
  readonly applyTo?: readonly string[]
  readonly base?: string
  readonly description?: string
  /** The file that imports it, as `path:line`. */
  readonly importedBy?: string
  /** True if it is not part of the folder. */
  readonly isOwn?: true
}
