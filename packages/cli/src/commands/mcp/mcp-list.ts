import { CadreError } from '@cadre/core'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'

/** `cadre mcp list`. */
export async function listServers(_io: Io, _flags: object): Promise<ExitCode> {
  throw new CadreError('usage', 'this command is not available yet.')
}
