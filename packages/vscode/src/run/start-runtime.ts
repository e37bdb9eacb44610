import { createRuntime, type ElicitFromPerson, type Runtime, type RuntimeOptions } from '@cadre/runtime'
import * as vscode from 'vscode'
import { createVscodeBackend, idOf, modelPrefix } from '../model/vscode-backend.ts'
import { vscodeTools } from '../tools/vscode-tools.ts'
import { confirmTrust } from './confirm-trust.ts'
import type { RunsContext, RuntimeRequest } from './runs.ts'

export interface StartRequest extends RuntimeRequest {
  /** The decisions that the person has postponed in this window. */
  readonly declined: Set<string>
  readonly elicit: ElicitFromPerson
}

/** A runtime with the models and tools of VS Code. Importing this file loads the engine. */
export function startRuntime({ settings, homes, log }: RunsContext, request: StartRequest): Promise<Runtime> {
  const { folder, model, ask, elicit, onEvent, toolInvocationToken, declined } = request
  const environment = homes.environment(folder)
  const options: RuntimeOptions = {
    ...request.resumedWith,
    workspace: folder.uri.fsPath,
    // A copy, because a run removes entries from PATH.
    environment: { ...environment, env: { ...environment.env } },
    settings: settings.of(folder.uri),
    tools: vscodeTools(toolInvocationToken, log),
    editorFiles: false,
    tell: request.tell ?? ((message) => log.info(message)),
    howToTrust: 'Inspect these files, then run "Multi-Agent: Trust Agents and Hooks in This Folder…".',
    ask,
    elicit,
    askedVia: 'protocol',
    onEvent,
    ...(model && { model: idOf(model), backends: { [modelPrefix]: async () => createVscodeBackend(model) } }),
    ...(vscode.workspace.isTrusted
      ? { confirmTrust: (found) => confirmTrust(found, declined) }
      : { restricted: true }),
  }
  return createRuntime(options)
}
