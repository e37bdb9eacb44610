/** How to start a program. */
export interface ProgramStart {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string | undefined }
}

export type Confinement =
  | (ProgramStart & {
      readonly kind: 'start'
      /** Written to the file descriptors 3 and up. */
      readonly inputs?: readonly Uint8Array[]
      /** Called once, after the program has ended. Never rejects. */
      readonly cleanUp?: () => Promise<void>
    })
  /** `reason`: a sentence without a full stop. `firm`: the user cannot accept the program without a sandbox. */
  | { readonly kind: 'refused'; readonly reason: string; readonly firm?: true }

/**
 * Returns how to start a program so that it can write only to its workspace and its private folder, and sees no files of the
 * user besides.
 */
export type Confine = (
  start: ProgramStart & {
    readonly workspace: string
    readonly folder: string
    /** The program may not change the workspace. */
    readonly readOnly: boolean
  },
) => Promise<Confinement>
