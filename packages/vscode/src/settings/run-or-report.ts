import { reportError } from '../register-command.ts'
import type { Services } from '../services.ts'

/** Runs an action for a person. An error is shown, and never reaches VS Code. */
export async function runOrReport<Result>(
  { log }: Pick<Services, 'log'>,
  what: string,
  work: () => Result | Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    reportError(log, error, what)
    return undefined
  }
}
