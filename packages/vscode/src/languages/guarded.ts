import type { LogOutputChannel } from 'vscode'

/** A failing provider offers nothing, and logs the reason. */
export function createGuard(log: LogOutputChannel) {
  return async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      log.error(`${what} failed.`, error instanceof Error ? error : String(error))
      return undefined
    }
  }
}
