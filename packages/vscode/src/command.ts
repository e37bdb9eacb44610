import * as vscode from 'vscode'
import { complain } from './messages.ts'

/** Registers a command whose fault is a message, and nothing else. Its argument may come from a link, so it is anything. */
export function command(
  log: vscode.LogOutputChannel,
  name: string,
  work: (argument: unknown) => unknown,
): vscode.Disposable {
  return vscode.commands.registerCommand(`copilotMultiAgent.${name}`, async (argument: unknown) => {
    try {
      await work(argument)
    } catch (error) {
      tellFault(log, error)
    }
  })
}

/** Shows a fault to the person, with what could not be done if that is not clear from it. */
export function tellFault(log: vscode.LogOutputChannel, error: unknown, what?: string): void {
  const reason = error instanceof Error ? error.message : String(error)
  const message = what === undefined ? reason : `${what}: ${reason}`
  if (what !== undefined) log.error(what)
  log.error(error instanceof Error ? error : reason)
  const more = 'Show Log'
  void complain(capital(message), more).then((choice) => {
    if (choice === more) log.show()
  })
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
