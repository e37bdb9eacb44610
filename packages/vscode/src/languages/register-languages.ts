import type { Disposable, ExtensionContext } from 'vscode'
import type { Services } from '../services.ts'

/** Completion, diagnostics, quick fixes and folding for agent, task and session files. */
export function registerLanguages(_context: ExtensionContext, _services: Services): Disposable {
  return { dispose() {} }
}
