import type { Disposable, ExtensionContext } from 'vscode'
import type { Services } from '../services.ts'

/** The participant `@agents`, its commands, and the language model tool `delegateWork`. */
export function registerChat(_context: ExtensionContext, _services: Services): Disposable {
  return { dispose() {} }
}
