import type { Disposable, ExtensionContext } from 'vscode'
import type { Services } from '../services.ts'

/** The views of sessions, approvals and tasks, their commands, and the status bar item. */
export function registerViews(_context: ExtensionContext, _services: Services): Disposable {
  return { dispose() {} }
}
