import path from 'node:path'
import type { RuleName } from '@cadre/core'
import { isInside } from '@cadre/disk'
import type { Policy } from '@cadre/home'
import type { PathResolver } from '../paths/path-resolver.ts'
import { patternsByLink } from './linked-files.ts'
import { type PathPattern, type PatternMatch, readPattern } from './path-pattern.ts'

/** A path pattern from another source than a policy. */
export interface PathRestriction {
  readonly decision: 'ask' | 'deny'
  readonly use: 'read' | 'write'
  /** The setting that contains it: `paths.deny.read`. */
  readonly key: string
  /** The rule that decides if it matches. */
  readonly rule: RuleName
  readonly text: string
  /** How the source writes it. Default: `text`. */
  readonly shown?: string | undefined
  readonly place?: string | undefined
}

export interface DeniedPathsOptions {
  readonly policy: Pick<Policy, 'paths' | 'decidedBy'>
  /** Patterns besides those of the policy. */
  readonly more?: readonly PathRestriction[] | undefined
  readonly places: Pick<PathResolver, 'locate'>
  readonly userHome?: string | undefined
}

/** A policy pattern that matches a path. */
export interface FoundPattern {
  readonly decision: 'ask' | 'deny'
  /** Its key in the policy: `paths.deny.read`. */
  readonly key: string
  readonly rule: RuleName
  readonly pattern: string
  /** `path:line` of the file that contains it. */
  readonly place?: string
  /** `above`: the path is a folder that may contain such files. */
  readonly match: NonNullable<PatternMatch>
  readonly real?: string
}

export interface DeniedPaths {
  /** True if no policy restricts paths. */
  readonly isEmpty: boolean
  /**
   * Returns every pattern that matches a path: in any spelling, after links, and by any of its hard links. Relative to
   * `base`; default: the workspace.
   */
  find(request: {
    readonly path: string
    readonly workspace: string
    readonly use: 'read' | 'write'
    readonly base?: string
  }): readonly FoundPattern[]
  /** For tools that list or search: returns which files below a folder must be hidden, or undefined if none. */
  hiddenIn(workspace: string): ((absolute: string) => boolean) | undefined
  /** For commands, which can read anything: the files that no agent may read, or undefined if there are none. */
  unreadableIn(workspace: string): Unreadable | undefined
  /** The same for writing. */
  unwritableIn(workspace: string): UnwritablePaths | undefined
}

/** Files and folders that no command may read, by the patterns of the policy. */
export type Unreadable = DeniedFiles
/** Files and folders that no command may change. */
export type UnwritablePaths = DeniedFiles

export interface DeniedFiles {
  /** All of them are in one of these folders. */
  readonly tops: readonly string[]
  match(absolute: string): PatternMatch
}

const policyKeys = {
  deny: { read: 'paths.deny.read', write: 'paths.deny.write' },
  ask: { read: 'paths.ask.read', write: 'paths.ask.write' },
} as const

/** The paths that policies deny to agents. */
export function createDeniedPaths({ policy, more = [], places, userHome }: DeniedPathsOptions): DeniedPaths {
  const ofPolicy = (['deny', 'ask'] as const).flatMap((decision) =>
    (['read', 'write'] as const).flatMap((use) =>
      policy.paths[decision][use].map((text, at) => {
        const key = policyKeys[decision][use]
        return { decision, use, key, rule: key, text, place: policy.decidedBy.get(`${key}.${at}`) }
      }),
    ),
  )
  const lists: readonly PathRestriction[] = [...ofPolicy, ...more]
  const patternsIn = (workspace: string) => {
    const real = places.locate('.', workspace)
    const workspaces = real === undefined || real === workspace ? [workspace] : [workspace, real]
    const locate = (target: string) => places.locate(target, workspace)
    return (text: string): PathPattern => readPattern(text, { workspaces, userHome, locate })
  }
  return {
    isEmpty: lists.length === 0,
    find({ path: written, workspace, use, base = workspace }) {
      const wanted = lists.filter((entry) => entry.use === use)
      if (wanted.length === 0) return []
      const read = patternsIn(workspace)
      const real = places.locate(path.resolve(base, written), workspace)
      const readings = readingsOf(written, base, userHome)
      if (real !== undefined) readings.push(real)
      const patterns = wanted.map(({ text }) => read(text))
      const linked = real === undefined ? undefined : linksIn(workspace, use, () => patterns)(real)
      return wanted.flatMap(({ decision, key, rule, text, shown = text, place }, number) => {
        const matches = readings.map((reading) => patterns[number]?.match(reading))
        const isWithin = matches.includes('within') || linked?.has(number) === true
        const match = isWithin ? 'within' : matches.find((one) => one !== undefined)
        if (match === undefined) return []
        return [
          { decision, key, rule, pattern: shown, match, ...(place && { place }), ...(real && { real }) },
        ]
      })
    },
    hiddenIn(workspace) {
      const wanted = lists.filter((entry) => entry.use === 'read')
      if (wanted.length === 0) return undefined
      const read = patternsIn(workspace)
      const patterns = wanted.map(({ text }) => read(text))
      const linked = linksIn(workspace, 'read', () => patterns)
      return (absolute) =>
        patterns.some((pattern) => pattern.match(absolute) === 'within') || linked(absolute).size > 0
    },
    unreadableIn: (workspace) => deniedIn(workspace, 'read'),
    unwritableIn: (workspace) => deniedIn(workspace, 'write'),
  }

  function linksIn(workspace: string, use: 'read' | 'write', patterns: () => readonly PathPattern[]) {
    const root = places.locate('.', workspace)
    const texts = lists.filter((entry) => entry.use === use).map(({ text }) => text)
    const key = JSON.stringify([root, use, texts])
    return (absolute: string) => patternsByLink(absolute, key, patterns, root === undefined ? [] : [root])
  }

  function deniedIn(workspace: string, use: 'read' | 'write'): DeniedFiles | undefined {
    const wanted = lists.filter((entry) => entry.use === use && entry.decision === 'deny')
    const root = places.locate('.', workspace)
    if (wanted.length === 0 || root === undefined) return undefined
    const read = patternsIn(workspace)
    const patterns = wanted.map(({ text }) => read(text))
    const outside = patterns.flatMap(({ tops }) => tops.filter((top) => !isInside(root, top)))
    return {
      tops: [...new Set([root, ...outside])],
      match(absolute) {
        const matches = patterns.map((pattern) => pattern.match(absolute))
        return matches.includes('within') ? 'within' : matches.find((match) => match !== undefined)
      },
    }
  }
}

/** A backslash is a path separator on some systems and a character on others. */
function readingsOf(written: string, base: string, userHome: string | undefined): string[] {
  const home = /^~(?=$|\/)/.test(written) && userHome !== undefined ? userHome + written.slice(1) : written
  return [...new Set([home, home.replaceAll('\\', '/')])].map((reading) => path.resolve(base, reading))
}
