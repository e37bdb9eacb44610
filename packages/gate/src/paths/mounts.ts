import path from 'node:path'
import { type FollowedLink, followLinks } from './follow-links.ts'

/** A folder of the home that agents read as if it were in their workspace. It is read-only under that name. */
export interface Mount {
  /** Its name in every workspace that does not itself contain that name. */
  readonly name: string
  /** Its real path. */
  readonly folder: string
}

export interface MountedPath {
  readonly mount: Mount
  /** Relative to the mount, after links; `lost` if that is unknown. */
  readonly followed: FollowedLink
}

const names = ['memory'] as const

/**
 * Maps a resolved path to a mount. The workspace takes precedence: anything in it with the name of a mount hides the mount.
 * Checked each time, because both can appear and disappear.
 */
export function createMounts(
  home: string | undefined,
): (followed: FollowedLink, root: string | undefined) => MountedPath | undefined {
  if (home === undefined) return () => undefined
  return (followed, root) => {
    if (followed.kind === 'lost' || root === undefined) return undefined
    const { real, steps } = followed
    const name = names.find((candidate) => isAt(path.join(root, candidate), real))
    if (name === undefined) return undefined
    const place = path.join(root, name)
    if (steps.some((step) => step.real === place)) return undefined
    const mount = folderAt(path.resolve(home, name))
    if (mount === undefined) return undefined
    const rest = real.slice(place.length + 1)
    return {
      mount: { name, folder: mount },
      followed: rest === '' ? { kind: 'followed', real: mount, steps: [] } : followLinks(rest, mount),
    }
  }
}

/** Returns the current mounts of a workspace. */
export function mountsIn(
  root: string,
  find: ReturnType<typeof createMounts>,
  follow: (name: string) => FollowedLink,
): readonly Mount[] {
  return names.flatMap((name) => {
    const found = find(follow(name), root)
    return found === undefined ? [] : [found.mount]
  })
}

function isAt(place: string, real: string): boolean {
  return real === place || real.startsWith(place + path.sep)
}

function folderAt(place: string): string | undefined {
  const followed = followLinks(place)
  if (followed.kind === 'lost') return undefined
  const last = followed.steps.at(-1)
  return last?.real === followed.real && last.stats.isDirectory() ? followed.real : undefined
}
