/** What a runtime uses of its process: variables, the current folder and a way to warn. */
export interface Environment {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Shows a message to the user immediately. */
  readonly warn: (message: string) => void
}
