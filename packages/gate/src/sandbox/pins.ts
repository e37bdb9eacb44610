import path from 'node:path'
import { entryAt, isInside } from '@cadre/disk'
import { followLinks } from '../paths/follow-links.ts'

/** How guarded paths of a writable folder are held in place by mounts. */
export interface Pins {
  /** Folders on the way: a mount cannot be renamed away, and so what is in it stays where it is. From the top down. */
  readonly held: readonly string[]
  /** Mounted read-only. */
  readonly fixed: readonly string[]
  /** What no mount can hold because it is not there, or is a link: to be compared afterwards. */
  readonly loose: readonly string[]
}

/** `writable`: the folders that commands may write, by their real paths. `more`: what is to be held or fixed for another reason. */
export function pinsFor(
  paths: readonly string[],
  writable: readonly string[],
  more: Partial<Pick<Pins, 'held' | 'fixed'>> = {},
): Pins {
  const held = new Set<string>(more.held)
  const fixed = new Set<string>(more.fixed)
  const loose = new Set<string>()
  for (const place of paths) {
    const top = writable.find((folder) => isInside(folder, place))
    // Elsewhere everything is read-only.
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
  // Within something fixed nothing needs to be held, and nothing can be loose.
  const isFixed = (place: string) => [...fixed].some((folder) => folder !== place && isInside(folder, place))
  return {
    held: order(held).filter((place) => !fixed.has(place) && !isFixed(place)),
    fixed: order(fixed).filter((place) => !isFixed(place)),
    loose: order(loose).filter((place) => !isFixed(place)),
  }
}
