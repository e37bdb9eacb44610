import { userInfo } from 'node:os'

/** The user name of the operating system. Cadre records decisions under this name. */
export function personName(env: NodeJS.ProcessEnv): string | undefined {
  const name = env['USER'] || env['USERNAME']
  if (name) return name
  try {
    return userInfo().username
  } catch {
    // The user id of the process may have no name.
    return undefined
  }
}
