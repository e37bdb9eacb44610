import type { Io } from '../io.ts'

/** The command to type: in a clone of the repository it is not on PATH. */
export function commandName(io: Io): string {
  return io.env['npm_lifecycle_event'] === undefined ? 'cadre' : 'npm exec cadre --'
}
