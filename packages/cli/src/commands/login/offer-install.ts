import {
  type CopilotPackage,
  copilotFolder,
  installedSdk,
  installedServer,
  sdkPackage,
  serverConfigProblem,
  serverPackage,
} from '@cadre/backends'
import { CadreError } from '@cadre/core'
import type { Io } from '../../io.ts'
import { formatDuration } from '../../output/numbers.ts'
import { installCommand, installPackages, isInstalled, packageLabel } from './install-packages.ts'
import type { TerminalUser } from './terminal-user.ts'

export interface OfferOptions {
  readonly sdk: boolean
  readonly yes: boolean
  /** `copilot.server` of the configuration. */
  readonly configured: string | undefined
  readonly tell: (event: InstallEvent) => void
}

export type InstallEvent = {
  readonly type: 'installing' | 'installed'
  readonly packages: readonly string[]
  readonly folder: string
}

/** Makes sure that the packages are installed. Asks before installing one. */
export async function offerInstall(
  io: Io,
  person: TerminalUser,
  options: OfferOptions,
): Promise<'there' | 'cancelled'> {
  const { env } = io
  const missing = missingPackages(io, options)
  if (missing.length === 0) return 'there'
  const wrong = serverConfigProblem({ env, configured: options.configured })
  if (wrong !== undefined) throw new CadreError('configuration', wrong)
  const folder = copilotFolder(env)
  // The new folder replaces the old one, so it must also contain what is already installed.
  const packages = [serverPackage, sdkPackage].filter(
    (item) => missing.includes(item) || isInstalled(folder, item),
  )
  const names = missing.map(packageLabel)
  if (!options.yes) {
    const size = `about ${sizeOf(missing)} MB`
    const question = `Copilot needs ${names.join(' and ')}. Install with npm into ${folder} (${size})? y/N: `
    const answer = await person.confirm(question)
    if (person.signal.aborted) return 'cancelled'
    if (answer !== true) {
      const by = answer === undefined ? 'Copilot needs' : 'Nothing was installed. Copilot needs'
      throw new CadreError(
        'configuration',
        `${by} ${names.join(' and ')}. Install with "cadre login --yes${options.sdk ? ' --sdk' : ''}", or with: ${installCommand(folder, packages)}`,
      )
    }
  }
  options.tell({ type: 'installing', packages: names, folder })
  const progress = person.progress(`Installing ${names.join(' and ')}`)
  const started = Date.now()
  const ended = await installPackages({ folder, packages, env }, person.signal)
  progress.end(
    ended.kind === 'installed'
      ? `Installed in ${folder} in ${formatDuration(Date.now() - started)}.`
      : undefined,
  )
  if (ended.kind === 'cancelled') return 'cancelled'
  if (ended.kind === 'failed')
    throw new CadreError(
      'configuration',
      `${names.join(' and ')} could not be installed. ${ended.message} To install manually: ${installCommand(folder, packages)}`,
    )
  options.tell({ type: 'installed', packages: names, folder })
  return 'there'
}

/** Megabytes on disk. */
function sizeOf(missing: readonly CopilotPackage[]): number {
  if (missing.length > 1) return 770
  return missing.includes(serverPackage) ? 640 : 120
}

function missingPackages({ env }: Io, { sdk, configured }: OfferOptions): CopilotPackage[] {
  return [
    ...(installedServer({ env, configured }) === undefined ? [serverPackage] : []),
    ...(sdk && installedSdk(env) === undefined ? [sdkPackage] : []),
  ]
}
