import { userInfo } from 'node:os'

/** Who sits here, as the system knows them: the name under which a decision is recorded. */
export function personName(env: NodeJS.ProcessEnv): string | undefined {
  const name = env['USER'] || env['USERNAME']
  if (name) return name
  try {
    return userInfo().username
  } catch {
    // A process may run under a number that has no name.
    return undefined
  }
}
