import { readFileSync } from 'node:fs'
import path from 'node:path'
import { findServer, type ServerCommand, type ServerPaths } from '../copilot-ls/find-server.ts'
import { findCopilotSdk } from '../copilot-sdk/find-sdk.ts'
import versions from './copilot-versions.json' with { type: 'json' }

/** A Copilot package, in the exact version that Cadre is tested with. */
export interface CopilotPackage {
  readonly name: string
  readonly version: string
}

export const serverPackage = packageNamed('@github/copilot-language-server')
export const sdkPackage = packageNamed('@github/copilot-sdk')

export interface InstalledPackage {
  readonly place: string
  /** Absent for a program without a manifest next to it. */
  readonly version?: string
}

/** The language server that Cadre would start. */
export function installedServer(
  places: ServerPaths,
): (InstalledPackage & { readonly command: ServerCommand }) | undefined {
  const command = findServer(places)
  if (command === undefined) return undefined
  const place = command.args[0]?.startsWith('-') ? command.command : (command.args[0] ?? command.command)
  const manifests = [path.dirname(place), path.dirname(path.dirname(place))].map(versionIn)
  const version = manifests.find((found) => found !== undefined)
  return { command, place, ...(version !== undefined && { version }) }
}

/** The Copilot SDK that Cadre would load. */
export function installedSdk(env: ServerPaths['env']): InstalledPackage | undefined {
  const place = findCopilotSdk(env)
  if (place === undefined) return undefined
  const version = versionIn(place)
  return { place, ...(version !== undefined && { version }) }
}

/** The version in the manifest of a folder. */
export function versionIn(folder: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      version?: unknown
    }
    return typeof version === 'string' ? version : undefined
  } catch {
    return undefined
  }
}

function packageNamed(name: keyof typeof versions): CopilotPackage {
  return { name, version: versions[name] }
}
