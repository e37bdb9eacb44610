import type { Stats } from 'node:fs'
import path from 'node:path'
import { linkTarget } from '@cadre/disk'
import { entryAt } from './with-lookup-cache.ts'

/** One existing segment of a path, after links. */
export interface LinkStep {
  readonly real: string
  readonly stats: Stats
}

export type FollowedLink =
  | {
      readonly kind: 'followed'
      /** Absolute, with links resolved as far as the path exists; the rest is as written. */
      readonly real: string
      /** Every existing segment, from the top down. */
      readonly steps: readonly LinkStep[]
    }
  | { readonly kind: 'lost'; readonly code: string }

const maxLinks = 40

/**
 * Resolves a path segment by segment, as the system does: `..` after a link is the parent of the link's target. A dangling
 * link is followed, as a write would. Links in `/proc` that depend on the process are not followed. With `from`, a real
 * folder, the target is relative to it, and the segments start below it.
 */
export function followLinks(target: string, from?: string): FollowedLink {
  const root = rootOf(from ?? target)
  const waiting = partsOf(from === undefined ? target.slice(root.length) : target).reverse()
  const steps: LinkStep[] = []
  let current = from ?? root
  let links = 0
  let exists = true
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      current = path.dirname(current)
      while (steps.length > 0 && !isAbove(steps.at(-1)?.real ?? '', current)) steps.pop()
      exists = true
      continue
    }
    const next = current === root ? root + name : current + path.sep + name
    const stats = exists ? statsOf(next) : undefined
    if (typeof stats === 'string') return { kind: 'lost', code: stats }
    if (stats === undefined) {
      exists = false
      current = next
    } else if (stats.isSymbolicLink()) {
      if (++links > maxLinks) return { kind: 'lost', code: 'ELOOP' }
      if (isMagic(next)) return { kind: 'lost', code: 'EPROC' }
      const link = linkTarget(next)
      if (link === undefined) return { kind: 'lost', code: 'EACCES' }
      if (path.isAbsolute(link)) {
        current = rootOf(link)
        steps.length = 0
      }
      waiting.push(...partsOf(link).reverse())
    } else {
      current = next
      steps.push({ real: next, stats })
    }
  }
  return { kind: 'followed', real: current, steps }
}

/** Called for every path, and parsing one would cost more than everything else here. */
function rootOf(place: string): string {
  if (path.sep === '\\') return path.parse(place).root
  return place.startsWith('/') ? '/' : ''
}

function partsOf(text: string): string[] {
  return path.sep === '\\' ? text.split(/[\\/]/) : text.split('/')
}

function isAbove(folder: string, target: string): boolean {
  return folder === target || target.startsWith(folder + path.sep)
}

/** Returns undefined if nothing exists, and the system's error code if that is unknown. */
function statsOf(target: string): Stats | string | undefined {
  try {
    return entryAt(target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Nothing exists below a file, but the resulting path is still known.
    return code === 'ENOTDIR' ? undefined : (code ?? 'EIO')
  }
}

// `self` is a different process in a command, and links below a process's folder bypass path names.
function isMagic(link: string): boolean {
  return link.startsWith('/proc/')
}
