/** A file with instructions for agents. */
export interface InstructionFile {
  /** Where it really is. */
  readonly real: string
  /** As people see it. */
  readonly shown: string
  readonly text: string
  /** Set if it applies only to files that fit one of these globs, relative to `base`. */
  readonly applyTo?: readonly string[]
  readonly base?: string
  readonly description?: string
  /** The file that imports it, as `path:line`. */
  readonly importedBy?: string
  /** It did not come with the folder. */
  readonly isOwn?: true
}
