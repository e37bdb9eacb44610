import path from 'node:path'
import { wildcardsOverlap } from './wildcards-overlap.ts'

/**
 * How a path relates to a pattern. `within`: it is the matched path or below it. `above`: it is a folder that may contain a
 * match.
 */
export type PatternMatch = 'within' | 'above' | undefined

export interface PathPattern {
  readonly text: string
  /** Folders that contain all matches, except for patterns that are a single name. */
  readonly tops: readonly string[]
  /** Matches an absolute path in any spelling, which may itself contain wildcards. */
  match(absolute: string): PatternMatch
}

export interface PatternRoots {
  /** The workspace as named, and its real path. */
  readonly workspaces: readonly string[]
  readonly userHome?: string | undefined
  /** Resolves links in a path. */
  readonly locate: (path: string) => string | undefined
}

type Names = readonly string[]

/**
 * Parses a pattern of a policy: relative to the workspace, or absolute. Without a slash, it matches that name in every
 * folder. Names are compared as on the most lenient file system, because patterns only restrict.
 */
export function readPattern(text: string, places: PatternRoots): PathPattern {
  const full = expandHome(text, places.userHome)
  const names = namesOf(full)
  const isAbsolute = /^([\\/]|[a-z]:)/i.test(full)
  const isName = !isAbsolute && names.length === 1
  const roots = isAbsolute ? [[]] : places.workspaces.map(namesOf)
  const written = roots.flatMap((root) => [
    [...root, ...names],
    ...(isName ? [[...root, '**', ...names]] : []),
  ])
  const named = withReal(written, places)
  const variants = named.map(normaliseNames)
  const inside = places.workspaces.map((workspace) => normaliseNames(namesOf(workspace)))
  return {
    text,
    tops: [...new Set(named.map((names) => joinNames(fixedOf(names))))],
    match(absolute) {
      const path = normaliseNames(namesOf(absolute))
      // A single name is matched below the workspace, or anywhere for a path outside it. Folders above the workspace are
      // ignored.
      const isElsewhere = isName && !inside.some((root) => root.every((name, at) => path[at] === name))
      const all = isElsewhere ? [...variants, normaliseNames(['**', ...names])] : variants
      return all.map((variant) => compare(variant, path)).reduce(stronger, undefined)
    },
  }
}

/** The part before the first wildcard may be a link: then its target is included. */
function withReal(variants: readonly Names[], { locate }: PatternRoots): readonly Names[] {
  const real = variants.flatMap((names) => {
    const fixed = fixedOf(names)
    const led = fixed.length === 0 ? undefined : locate(joinNames(fixed))
    return led === undefined ? [] : [[...namesOf(led), ...names.slice(fixed.length)]]
  })
  const seen = new Set<string>()
  return [...variants, ...real].filter((names) => {
    const key = names.join('/')
    return seen.has(key) ? false : seen.add(key)
  })
}

/** Returns the names before the first wildcard. */
function fixedOf(names: Names): Names {
  const at = names.findIndex((name) => /[*?]/.test(name))
  return at < 0 ? names : names.slice(0, at)
}

function compare(pattern: Names, names: Names): PatternMatch {
  const memo = new Map<number, PatternMatch>()
  const from = (i: number, j: number): PatternMatch => {
    if (i === pattern.length) return 'within'
    // `secrets/*` and `secrets/**` also match the folder itself.
    if (j === names.length) return pattern.slice(i).every((name) => /^\*+$/.test(name)) ? 'within' : 'above'
    const key = i * (names.length + 1) + j
    if (memo.has(key)) return memo.get(key)
    const isDeep = pattern[i] === '**' || names[j] === '**'
    const found = isDeep
      ? stronger(from(i + 1, j), stronger(from(i, j + 1), from(i + 1, j + 1)))
      : wildcardsOverlap(pattern[i] as string, names[j] as string)
        ? from(i + 1, j + 1)
        : undefined
    memo.set(key, found)
    return found
  }
  return from(0, 0)
}

function stronger(a: PatternMatch, b: PatternMatch): PatternMatch {
  return a === 'within' || b === undefined ? a : b
}

function expandHome(text: string, userHome: string | undefined): string {
  const home = /^~(?=$|\/)/.test(text) ? userHome : undefined
  return home === undefined ? text : home + text.slice(1)
}

function namesOf(written: string): Names {
  const out: string[] = []
  for (const name of written.split(/[\\/]+/)) {
    if (name === '..') out.pop()
    else if (name !== '' && name !== '.') out.push(name)
  }
  return out
}

const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

function normaliseNames(names: Names): Names {
  return names.map((name) => name.normalize('NFKC').replace(invisible, '').toLowerCase())
}

function joinNames(names: Names): string {
  return /^[a-z]:$/i.test(names[0] ?? '') ? names.join(path.sep) : `/${names.join('/')}`
}
