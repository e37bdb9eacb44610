import path from 'node:path'
import { entryAt, isInside } from '@cadre/disk'
import { followLinks } from '../paths/follow-links.ts'

/** How mounts keep guarded paths of a writable folder in place. */
export interface PinnedMounts {
  /** Parent folders, from the top down: a mount point cannot be renamed, so its contents stay in place. */
  readonly held: readonly string[]
  /** Mounted read-only. */
  readonly fixed: readonly string[]
  /** Paths that no mount can protect, because they do not exist or are links: compared afterwards. */
  readonly loose: readonly string[]
}

/** `writable`: the real paths of folders that commands may write. `more`: further paths to hold or fix. */
export function pinnedMountsFor(
  paths: readonly string[],
  writable: readonly string[],
  more: Partial<Pick<PinnedMounts, 'held' | 'fixed'>> = {},
): PinnedMounts {
  const held = new Set<string>(more.held)
  const fixed = new Set<string>(more.fixed)
  const loose = new Set<string>()
  for (const place of paths) {
    const top = writable.find((folder) => isInside(folder, place))
    // Everything else is read-only.
    if (top !== undefined) pin(place, top, 0)
  }

  function pin(place: string, top: string, links: number): void {
    if (links > 20) return void loose.add(place)
    let current = top
    const names = path.relative(top, place).split(path.sep).filter(Boolean)
    for (const [at, name] of names.entries()) {
      const next = path.join(current, name)
      const stats = entryAt(next)
      if (stats === undefined) return void loose.add(place)
      if (stats.isSymbolicLink()) {
        loose.add(next)
        loose.add(place)
        const target = followLinks(next)
        if (target.kind === 'lost') return
        const whole = path.join(target.real, ...names.slice(at + 1))
        const below = writable.find((folder) => isInside(folder, whole))
        if (below !== undefined) pin(whole, below, links + 1)
        return
      }
      current = next
      if (at < names.length - 1) held.add(current)
    }
    fixed.add(current)
  }

  const order = (set: Set<string>) => [...set].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  // Inside a fixed folder, nothing needs to be held or compared.
  const isFixed = (place: string) => [...fixed].some((folder) => folder !== place && isInside(folder, place))
  return {
    held: order(held).filter((place) => !fixed.has(place) && !isFixed(place)),
    fixed: order(fixed).filter((place) => !isFixed(place)),
    loose: order(loose).filter((place) => !isFixed(place)),
  }
}
