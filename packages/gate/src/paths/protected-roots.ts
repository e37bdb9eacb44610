import path from 'node:path'
import { followLinks } from './follow-links.ts'
import { protectedNames } from './protected-names.ts'

/** A protected place with a fixed location, wherever the workspace is. */
export interface ProtectedRoot {
  readonly path: string
  /** A session whose workspace is below this name may change it. */
  readonly except?: string
  readonly what: string
}

export interface RootOptions {
  /** The Cadre home. */
  readonly home?: string
  /** The user's home directory. */
  readonly userHome?: string
  /** The folder with the user's policy, trust and allowlist, if not the default. */
  readonly userSettings?: string
  /** The folder whose agent files, hooks and settings apply. */
  readonly project?: string
  /** Files that hooks run, anywhere. */
  readonly scripts?: readonly string[]
}

/** Returns each place as named and as resolved. Excludes those of the project, which are many. */
export function protectedRoots(options: RootOptions): ProtectedRoot[] {
  const { home, userHome, userSettings, scripts = [] } = options
  const roots: ProtectedRoot[] = [{ path: '/etc/cadre', what: "the organisation's policy" }]
  if (home !== undefined)
    roots.push({ path: path.resolve(home), except: 'workspaces', what: "Cadre's home directory" })
  if (userHome !== undefined) {
    for (const names of [['.config', 'cadre'], ['.config', 'opencode'], ['.claude'], ['.copilot']])
      roots.push({ path: path.resolve(userHome, ...names), what: "the user's own settings" })
  }
  if (userSettings !== undefined)
    roots.push({ path: path.resolve(userSettings), what: "the user's own settings" })
  roots.push(...scripts.map((named) => ({ path: path.resolve(named), what: 'the files that hooks run' })))
  return roots.flatMap(withReal)
}

/** Returns the protected names of the project, each as named and as resolved. */
export function projectRoots({ project }: RootOptions): ProtectedRoot[] {
  return project === undefined ? [] : rootsIn(path.resolve(project)).flatMap(withReal)
}

function withReal(root: ProtectedRoot): ProtectedRoot[] {
  const followed = followLinks(root.path)
  return followed.kind === 'followed' && followed.real !== root.path
    ? [root, { ...root, path: followed.real }]
    : [root]
}

/** Returns the protected names directly in a folder. */
export function rootsIn(folder: string): ProtectedRoot[] {
  const start = folder.endsWith(path.sep) ? folder : folder + path.sep
  return protectedNames.map(({ names, ...rest }) => ({ path: start + names.join(path.sep), ...rest }))
}
