import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'

const siblingFolders = ['lib', 'lib64', 'libexec', 'include', 'share']
// Folders that contain keys next to programs: only the programs are visible.
const mixedFolders = /^(\.local|\.cargo|\.config|\.docker|\.kube|\.aws|\.azure|\.gnupg|\.ssh)$/

export interface ToolFoldersRequest {
  readonly environment: NodeJS.ProcessEnv
  readonly hidden: readonly string[]
  readonly userHome: string
}

/**
 * Returns the parts of hidden folders that must stay visible, so that programs installed there still run: the folders of
 * PATH, and the libraries next to them. Never a whole home directory, and never a folder that contains keys.
 */
export function toolFolders({ environment, hidden, userHome }: ToolFoldersRequest): string[] {
  const entries = (environment['PATH'] ?? '').split(path.delimiter)
  const found = new Set<string>()
  for (const entry of [...entries, path.dirname(process.execPath)]) {
    for (const folder of withRealPath(entry)) {
      const top = hidden.find((place) => isInside(place, folder) && place !== folder)
      if (top === undefined) continue
      found.add(folder)
      const above = path.dirname(folder)
      if (above === top || hidden.includes(above) || mixedFolders.test(path.basename(above))) continue
      if (path.basename(folder) !== 'bin' && path.basename(folder) !== 'shims') continue
      for (const name of siblingFolders) found.add(path.join(above, name))
    }
  }
  for (const place of Object.values(toolHomes(environment, userHome)))
    if (hidden.some((top) => isInside(top, place) && top !== place)) found.add(place)
  return [...found]
}

// Version managers that store programs in the user's home, without keys.
const versionManagers: { readonly [variable: string]: string } = {
  RUSTUP_HOME: '.rustup',
  PYENV_ROOT: '.pyenv',
  RBENV_ROOT: '.rbenv',
  NVM_DIR: '.nvm',
  VOLTA_HOME: '.volta',
  SDKMAN_DIR: '.sdkman',
}

/** The variables that name these folders: with another home directory, the programs would look in the wrong place. */
export function toolHomes(environment: NodeJS.ProcessEnv, userHome: string): { [variable: string]: string } {
  const places = Object.entries(versionManagers).map(
    ([variable, name]) => [variable, environment[variable] || path.join(userHome, name)] as const,
  )
  return Object.fromEntries(places.filter(([, place]) => path.isAbsolute(place) && existsSync(place)))
}

function withRealPath(entry: string): string[] {
  if (!path.isAbsolute(entry)) return []
  try {
    return [...new Set([path.normalize(entry), realpathSync(entry)])]
  } catch {
    return []
  }
}
