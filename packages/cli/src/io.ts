import type { Environment } from '@cadre/runtime'
import { cleanText } from './output/clean-text.ts'
import type { Output } from './output/output.ts'
import { wrapForTerminal } from './output/wrap-for-terminal.ts'

/** The parts of the process that a command may use. */
export interface Io extends Environment {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin: NodeJS.ReadStream
}

export function createIo(io: Omit<Io, 'warn'>): Io {
  const { stderr } = io
  return {
    ...io,
    warn: (message) => void stderr.write(`${wrapForTerminal(stderr, `cadre: ${cleanText(message)}`)}\n`),
  }
}
