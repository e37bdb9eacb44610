import { Disposable, type ExtensionContext } from 'vscode'
import type { Services } from '../services.ts'
import { registerAgentFiles } from './agents/register-agent-files.ts'
import { registerSessionFiles } from './sessions/register-session-files.ts'
import { registerTaskFiles } from './tasks/register-task-files.ts'

/** Completion, diagnostics, quick fixes and folding for agent, task and session files. */
export function registerLanguages(_context: ExtensionContext, services: Services): Disposable {
  return Disposable.from(
    registerAgentFiles(services),
    registerTaskFiles(services),
    registerSessionFiles(services),
  )
}
