/** A program that is about to start, with all references to variables replaced. */
export interface ProgramStart {
  readonly command: string
  readonly args: readonly string[]
  /** All variables that it gets. */
  readonly env: { readonly [name: string]: string }
  readonly cwd: string
  /** The file that some of the variables are from. */
  readonly envFile?: string | undefined
  /** Data that the program can read from file descriptors 3, 4, … */
  readonly inputs?: readonly (string | Uint8Array)[] | undefined
}

/** Decides how a program starts, for example in a sandbox. Rejects with a reason if it must not start. */
export type Launch = (start: ProgramStart) => Promise<ProgramStart>
