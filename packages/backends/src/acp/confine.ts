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
      /** Called once, after the program has ended. */
      readonly cleanUp?: () => void
    })
  /** `reason`: a sentence without a full stop. */
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Returns how to start a program so that it can write only to its workspace and its private folder, and sees no files of the
 * user besides.
 */
export type Confine = (
  start: ProgramStart & { readonly workspace: string; readonly folder: string },
) => Promise<Confinement>
