import * as vscode from 'vscode'
import type { Services } from '../services.ts'

/** Does something that a person asked for. A fault is shown to them, and never reaches VS Code. */
export async function attempt<Result>(
  { log }: Pick<Services, 'log'>,
  what: string,
  work: () => Result | Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log.error(`${what}: ${error instanceof Error ? (error.stack ?? reason) : reason}`)
    void vscode.window.showErrorMessage(`${what}: ${reason}`)
    return undefined
  }
}
