import { CadreError } from '@cadre/core'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'

/** `cadre mcp login`. */
export async function loginToServer(_io: Io, _flags: object, _name: string): Promise<ExitCode> {
  throw new CadreError('usage', 'this command is not available yet.')
}
