import type { Io } from '../io.ts'

/** What a person types to start the command: in a clone of the repository it is not on the path. */
export function commandName(io: Io): string {
  return io.env['npm_lifecycle_event'] === undefined ? 'cadre' : 'npm exec cadre --'
}
