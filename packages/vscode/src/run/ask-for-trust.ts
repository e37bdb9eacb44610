/** Loaded at its first use: it needs the engine. */
import { loadParts } from '@cadre/runtime'
import type { WorkspaceFolder } from 'vscode'
import type { Services } from '../services.ts'
import { confirmTrust } from './confirm-trust.ts'

export interface TrustAsked {
  readonly isTrusted: boolean
  readonly wasAsked: boolean
}

/** Asks about what a run in this folder would ask about, also where the person has declined it or put it off. */
export async function askForTrust(
  { homes, settings, log }: Pick<Services, 'homes' | 'settings' | 'log'>,
  folder: WorkspaceFolder,
): Promise<TrustAsked> {
  const environment = homes.environment(folder)
  let wasAsked = false
  const { trusted, models } = await loadParts(
    // A copy: what is taken out of PATH concerns nobody else in this process.
    { ...environment, env: { ...environment.env } },
    {
      workspace: folder.uri.fsPath,
      settings: settings.of(folder.uri),
      asksAgain: true,
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
