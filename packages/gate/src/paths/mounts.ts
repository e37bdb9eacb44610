import path from 'node:path'
import { type Followed, followLinks } from './follow-links.ts'

/** A folder of the home that agents read as if it lay in their workspace. Nobody writes there by that name. */
export interface Mount {
  /** The name it has in every workspace that has nothing of that name itself. */
  readonly name: string
  /** Where it really is. */
  readonly folder: string
}

export interface MountedPath {
  readonly mount: Mount
  /** Relative to the mount, links followed; `lost` when that cannot be said. */
  readonly followed: Followed
}

const names = ['memory'] as const

/**
 * Where a followed path lies in a mount. The workspace comes first: what exists in it under the name of a mount hides the
 * mount, whatever it is. Everything is looked at anew each time, because both can come and go.
 */
export function createMounts(
  home: string | undefined,
): (followed: Followed, root: string | undefined) => MountedPath | undefined {
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

/** The mounts that a workspace has now. */
export function mountsIn(
  root: string,
  find: ReturnType<typeof createMounts>,
  follow: (name: string) => Followed,
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
