import { CadreError } from '@cadre/core'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'

/** `cadre mcp add`. */
export async function addServer(_io: Io, _flags: object, ..._words: readonly string[]): Promise<ExitCode> {
  throw new CadreError('usage', 'this command is not available yet.')
}
