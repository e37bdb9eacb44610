import type { LogOutputChannel } from 'vscode'

/** A provider that fails offers nothing, and the reason is in the log. */
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
