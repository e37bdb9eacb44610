import * as vscode from 'vscode'
import { capital } from './capital.ts'
import { showError } from './messages.ts'

/** Registers a command whose errors are shown as a message. Its argument may come from a link, so it can be anything. */
export function registerCommand(
  log: vscode.LogOutputChannel,
  name: string,
  work: (argument: unknown) => unknown,
): vscode.Disposable {
  return vscode.commands.registerCommand(`copilotMultiAgent.${name}`, async (argument: unknown) => {
    try {
      await work(argument)
    } catch (error) {
      reportError(log, error)
    }
  })
}

/** Shows an error, with the failed action if that is not clear from it. */
export function reportError(log: vscode.LogOutputChannel, error: unknown, what?: string): void {
  const reason = error instanceof Error ? error.message : String(error)
  const message = what === undefined ? reason : `${what}: ${reason}`
  if (what !== undefined) log.error(what)
  log.error(error instanceof Error ? error : reason)
  const more = 'Show Log'
  void showError(capital(message), more).then((choice) => {
    if (choice === more) log.show()
  })
}
