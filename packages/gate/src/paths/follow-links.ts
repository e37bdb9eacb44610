import { readlinkSync, type Stats } from 'node:fs'
import path from 'node:path'
import { entryAt } from './one-look.ts'

/** One step of a path that exists, after links. */
export interface Step {
  readonly real: string
  readonly stats: Stats
}

export type Followed =
  | {
      readonly kind: 'followed'
      /** Absolute, without links as far as it exists; what does not exist is taken as it is written. */
      readonly real: string
      /** Every step that exists, from the top down. */
      readonly steps: readonly Step[]
    }
  | { readonly kind: 'lost'; readonly code: string }

const mostLinks = 40

/**
 * Where a path leads, step by step, as the system itself would go: `..` after a link is above the link's target. A link to
 * something missing is followed, as writing would. Links of `/proc` that mean another thing to each process lead nowhere.
 * With `from`, a real folder, the target is relative to it, and the steps begin below it.
 */
export function followLinks(target: string, from?: string): Followed {
  const root = rootOf(from ?? target)
  const waiting = partsOf(from === undefined ? target.slice(root.length) : target).reverse()
  const steps: Step[] = []
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
      if (++links > mostLinks) return { kind: 'lost', code: 'ELOOP' }
      if (isMagic(next)) return { kind: 'lost', code: 'EPROC' }
      const link = linkAt(next)
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

/** Asked for every path, and taking one apart costs more than all the rest. */
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

/** Nothing where there is nothing; the system's word where it cannot be said. */
function statsOf(target: string): Stats | string | undefined {
  try {
    return entryAt(target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Below a file there is nothing; what the path would be is known all the same.
    return code === 'ENOTDIR' ? undefined : (code ?? 'EIO')
  }
}

function linkAt(target: string): string | undefined {
  try {
    return readlinkSync(target)
  } catch {
    return undefined
  }
}

// `self` is this process here and another one in a command; the links below a process's folder lead past names altogether.
function isMagic(link: string): boolean {
  return link.startsWith('/proc/')
}
