/** What a runtime uses of the process that it runs in. */
export interface Environment {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Shows a sentence to the person who runs Cadre, now. */
  readonly warn: (message: string) => void
}
