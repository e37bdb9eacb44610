import path from 'node:path'
import { wildcardsMeet } from './wildcards-meet.ts'

/** How a pattern and a path stand to each other: `within` is the path itself or what lies below it, `above` a folder that may hold such a path. */
export type Fit = 'within' | 'above' | undefined

export interface PathPattern {
  readonly text: string
  /** Everything that fits it lies in one of these, as far as it is not about a name wherever it is. */
  readonly tops: readonly string[]
  /** Of an absolute path in any spelling; it may hold wildcards itself. */
  fit(absolute: string): Fit
}

export interface PatternPlaces {
  /** The workspace in all its spellings: as it was named, and where it really is. */
  readonly workspaces: readonly string[]
  readonly userHome?: string | undefined
  /** Where a path really leads. */
  readonly locate: (path: string) => string | undefined
}

type Names = readonly string[]

/**
 * A pattern of a policy: relative to the workspace, or absolute. Without a slash it is about that name in every folder. Names
 * are compared as the most forgiving file system would, since patterns only restrict.
 */
export function readPattern(text: string, places: PatternPlaces): PathPattern {
  const full = expanded(text, places.userHome)
  const names = namesOf(full)
  const isAbsolute = /^([\\/]|[a-z]:)/i.test(full)
  const isName = !isAbsolute && names.length === 1
  const roots = isAbsolute ? [[]] : places.workspaces.map(namesOf)
  const written = roots.flatMap((root) => [
    [...root, ...names],
    ...(isName ? [[...root, '**', ...names]] : []),
  ])
  const named = withReal(written, places)
  const variants = named.map(plainly)
  const inside = places.workspaces.map((workspace) => plainly(namesOf(workspace)))
  return {
    text,
    tops: [...new Set(named.map((names) => joined(fixedOf(names))))],
    fit(absolute) {
      const path = plainly(namesOf(absolute))
      // A name is looked for in the workspace, and elsewhere for a path that leads elsewhere: the folders that a workspace lies in do not count.
      const isElsewhere = isName && !inside.some((root) => root.every((name, at) => path[at] === name))
      const all = isElsewhere ? [...variants, plainly(['**', ...names])] : variants
      return all.map((variant) => compare(variant, path)).reduce(stronger, undefined)
    },
  }
}

/** What stands before the first wildcard may be a link: then what it leads to is meant as well. */
function withReal(variants: readonly Names[], { locate }: PatternPlaces): readonly Names[] {
  const real = variants.flatMap((names) => {
    const fixed = fixedOf(names)
    const led = fixed.length === 0 ? undefined : locate(joined(fixed))
    return led === undefined ? [] : [[...namesOf(led), ...names.slice(fixed.length)]]
  })
  const seen = new Set<string>()
  return [...variants, ...real].filter((names) => {
    const key = names.join('/')
    return seen.has(key) ? false : seen.add(key)
  })
}

/** What stands before the first wildcard. */
function fixedOf(names: Names): Names {
  const at = names.findIndex((name) => /[*?]/.test(name))
  return at < 0 ? names : names.slice(0, at)
}

function compare(pattern: Names, names: Names): Fit {
  const memo = new Map<number, Fit>()
  const from = (i: number, j: number): Fit => {
    if (i === pattern.length) return 'within'
    // `secrets/*` and `secrets/**` are also about the folder itself.
    if (j === names.length) return pattern.slice(i).every((name) => /^\*+$/.test(name)) ? 'within' : 'above'
    const key = i * (names.length + 1) + j
    if (memo.has(key)) return memo.get(key)
    const isDeep = pattern[i] === '**' || names[j] === '**'
    const found = isDeep
      ? stronger(from(i + 1, j), stronger(from(i, j + 1), from(i + 1, j + 1)))
      : wildcardsMeet(pattern[i] as string, names[j] as string)
        ? from(i + 1, j + 1)
        : undefined
    memo.set(key, found)
    return found
  }
  return from(0, 0)
}

function stronger(a: Fit, b: Fit): Fit {
  return a === 'within' || b === undefined ? a : b
}

function expanded(text: string, userHome: string | undefined): string {
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

function plainly(names: Names): Names {
  return names.map((name) => name.normalize('NFKC').replace(invisible, '').toLowerCase())
}

function joined(names: Names): string {
  return /^[a-z]:$/i.test(names[0] ?? '') ? names.join(path.sep) : `/${names.join('/')}`
}
