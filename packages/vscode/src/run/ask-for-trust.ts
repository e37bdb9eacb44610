/** Loaded on first use, because it needs the engine. */
import { loadParts } from '@cadre/runtime'
import type { WorkspaceFolder } from 'vscode'
import type { Services } from '../services.ts'
import { confirmTrust } from './confirm-trust.ts'

export interface TrustQuestionResult {
  readonly isTrusted: boolean
  readonly wasAsked: boolean
}

/** Asks the same trust question as a run in this folder, even if the person has declined or postponed it. */
export async function askForTrust(
  { homes, settings, log }: Pick<Services, 'homes' | 'settings' | 'log'>,
  folder: WorkspaceFolder,
): Promise<TrustQuestionResult> {
  const environment = homes.environment(folder)
  let wasAsked = false
  const { trusted, models } = await loadParts(
    // A copy, because a run removes entries from PATH.
    { ...environment, env: { ...environment.env } },
    {
      workspace: folder.uri.fsPath,
      settings: settings.of(folder.uri),
      asksAgain: true,
      editorFiles: false,
      tell: (message) => log.info(message),
    },
    (found) => {
      wasAsked = true
      return confirmTrust(found, new Set())
    },
  )
  await models.close?.()
  return { isTrusted: trusted, wasAsked }
}
