import type { CommandPattern } from './command-pattern.ts'
import { nameForAllowlist } from './program-name.ts'

export type Decision = 'allow' | 'ask' | 'deny'

export interface AllowlistEntry {
  readonly text: string
  readonly decision: Decision
  readonly pattern: CommandPattern
}

export interface AllowlistDecision {
  readonly decision: Decision
  /** The pattern as written in the list. */
  readonly rule: string
  /** Set for a rule that is not from a command list: `path:line`. */
  readonly place?: string
  /** True if the pattern itself names one of these options. */
  readonly names?: (options: readonly string[]) => boolean
  /** Written by the user or the organisation: it also applies without a sandbox. */
  readonly own?: boolean
  /** Part of the list that Cadre ships with. */
  readonly isShipped?: true
}

/** A list of patterns. Returns nothing for a command that matches none. */
export interface Allowlist {
  match(words: readonly string[], line: string): AllowlistDecision | undefined
  /** Patterns of the shipped list to disable. */
  readonly unset?: readonly string[]
}

export const strictnessOrder = { allow: 0, ask: 1, deny: 2 }

/**
 * A matching `deny` always wins. Otherwise the most specific pattern applies, and of two equally specific ones the
 * stricter: `git: ask` with `git status: allow` allows `git status`; `git: allow` with `git push: ask` asks for `git push`.
 */
export function createAllowlist(
  entries: readonly AllowlistEntry[],
  unset: readonly string[] = [],
  isOwn: (pattern: string) => boolean = () => false,
): Allowlist {
  const anyName = entries.filter(({ pattern }) => pattern.program === undefined)
  const byName = new Map<string, AllowlistEntry[]>()
  for (const entry of entries) {
    const { program } = entry.pattern
    if (program !== undefined) byName.set(program, [...(byName.get(program) ?? []), entry])
  }
  return {
    unset,
    match(words, line) {
      let best: AllowlistEntry | undefined
      for (const entry of [...(byName.get(nameForAllowlist(words[0] ?? '')) ?? []), ...anyName]) {
        const fits = entry.pattern.fits(words, line)
        if (fits === false) continue
        // A command that is too long to compare might be denied.
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

function isStronger(a: AllowlistEntry, b: AllowlistEntry): boolean {
  const difference = a.pattern.specific - b.pattern.specific
  return difference > 0 || (difference === 0 && strictnessOrder[a.decision] > strictnessOrder[b.decision])
}
