import type { Pattern } from './pattern.ts'
import { listedName } from './program-name.ts'

export type Decision = 'allow' | 'ask' | 'deny'

export interface Entry {
  readonly text: string
  readonly decision: Decision
  readonly pattern: Pattern
}

export interface ListAnswer {
  readonly decision: Decision
  /** The pattern as it is written in the list. */
  readonly rule: string
  /** Set for a rule from elsewhere than a list of commands: `path:line`. */
  readonly place?: string
  /** Whether the pattern speaks of one of these options itself. */
  readonly names?: (options: readonly string[]) => boolean
  /** The user wrote it, or the organisation: it counts without a sandbox, too. */
  readonly own?: boolean
  /** It is not written anywhere: Cadre ships with it. */
  readonly isShipped?: true
}

/** A list of patterns. Nothing about a command that fits none. */
export interface Allowlist {
  match(words: readonly string[], line: string): ListAnswer | undefined
  /** Patterns of the shipped list that are not to count. */
  readonly unset?: readonly string[]
}

export const strictness = { allow: 0, ask: 1, deny: 2 }

/**
 * Any `deny` that fits wins. Otherwise the most specific pattern does, and of two that are equally specific the stricter
 * one: `git: ask` with `git status: allow` allows `git status`; `git: allow` with `git push: ask` asks for `git push`.
 */
export function createAllowlist(
  entries: readonly Entry[],
  unset: readonly string[] = [],
  isOwn: (pattern: string) => boolean = () => false,
): Allowlist {
  const anyName = entries.filter(({ pattern }) => pattern.program === undefined)
  const byName = new Map<string, Entry[]>()
  for (const entry of entries) {
    const { program } = entry.pattern
    if (program !== undefined) byName.set(program, [...(byName.get(program) ?? []), entry])
  }
  return {
    unset,
    match(words, line) {
      let best: Entry | undefined
      for (const entry of [...(byName.get(listedName(words[0] ?? '')) ?? []), ...anyName]) {
        const fits = entry.pattern.fits(words, line)
        if (fits === false) continue
        // What is too long to be compared might be forbidden.
        const said = fits === 'unsure' ? { ...entry, decision: 'ask' as const } : entry
        if (said.decision === 'deny') return { decision: 'deny', rule: said.text }
        if (best === undefined || isStronger(said, best)) best = said
      }
      if (best === undefined) return undefined
      const { decision, text, pattern } = best
      return { decision, rule: text, names: pattern.names, own: isOwn(text) }
    },
  }
}

function isStronger(a: Entry, b: Entry): boolean {
  const difference = a.pattern.specific - b.pattern.specific
  return difference > 0 || (difference === 0 && strictness[a.decision] > strictness[b.decision])
}
