import * as vscode from 'vscode'
import { plainMessage } from './plain-message.ts'

/**
 * The only way to show a notification or a dialog. VS Code turns `[text](target)` in a notification into a link, which may
 * run a command: text of settings, files and agents must not become one.
 */

export function showInfo(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(plainMessage(text), ...buttons)
}

export function showWarning(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(plainMessage(text), ...buttons)
}

export function showError(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showErrorMessage(plainMessage(text), ...buttons)
}

/** Asks in a dialog, and waits for the answer. */
export function askInDialog(
  text: string,
  detail: string,
  ...buttons: string[]
): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(plainMessage(text), { modal: true, detail }, ...buttons)
}
