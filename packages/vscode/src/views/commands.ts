import * as vscode from 'vscode'
import { plainMessage } from './plain-message.ts'

/** Registers a command whose fault is a message, and nothing else. */
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

export function tellFault(log: vscode.LogOutputChannel, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  log.error(error instanceof Error ? error : message)
  const more = 'Show Log'
  void vscode.window.showErrorMessage(plainMessage(sentence(message)), more).then((choice) => {
    if (choice === more) log.show()
  })
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
