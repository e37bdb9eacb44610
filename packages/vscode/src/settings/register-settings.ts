import type { Disposable, ExtensionContext } from 'vscode'
import type { Services } from '../services.ts'

/** The settings page, validation, and the commands about settings. */
export function registerSettings(_context: ExtensionContext, _services: Services): Disposable {
  return { dispose() {} }
}
