import { homedir } from 'node:os'
import path from 'node:path'
import type { ExtensionContext } from 'vscode'
import type { Services } from '../services.ts'
import { installHooks } from './install-hooks.ts'

/** The agents in the manifest need only their hooks. A VS Code without `chatAgents` never uses them. */
export function registerChatAgents(context: ExtensionContext, { log }: Services): void {
  const request = {
    folder: path.join(homedir(), '.config', 'cadre', 'vscode'),
    scripts: context.asAbsolutePath(path.join('out', 'assets', 'gate', 'hooks', 'scripts')),
    node: process.execPath,
  }
  installHooks(request).catch((error: unknown) => {
    log.error(
      `The agents' hooks could not be written to ${request.folder}. Until this is fixed, the supervisor team cannot use any tools in agent mode.`,
      error instanceof Error ? error : String(error),
    )
  })
}
