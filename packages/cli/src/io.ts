import type { Output } from './output/output.ts'

/** What a command may use of the process it runs in. */
export interface Io {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin: NodeJS.ReadStream
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}
