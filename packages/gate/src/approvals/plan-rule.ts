import { appendSetting, rawOf, textOf } from '@cadre/disk'
import { editFile, type Home, readPlainFile, type Trust, withLock } from '@cadre/home'
import { grantWords } from '../commands/grant-of.ts'
import { userRuleItem } from '../commands/own-rule.ts'

/** A change to the home's allowlist, after which Cadre no longer asks about commands like this one. */
export type RulePlan =
  | {
      readonly kind: 'ready'
      readonly path: string
      /** The lines to add. Empty if the file already contains them. */
      readonly lines: readonly string[]
      /** Rejects if the file has changed and the lines can no longer be added. */
      write(): Promise<void>
    }
  | { readonly kind: 'refused'; readonly reason: string }

/** Words that a pattern matches literally: no wildcard, and no leading slash, which would start a regular expression. */
const plainWords = /^[\w@%+=:,.~-][\w@%+=:,./~-]*(?: [\w@%+=:,./~-]+)*$/

/**
 * Plans the change without writing it, because a person must see it first. Call it only for the user's own home or a trusted one.
 */
export function planRule(home: Home, grants: readonly string[], trust: Pick<Trust, 'add'>): RulePlan {
  const path = home.at('storage', 'terminal-cmd-allowlist.yaml')
  const patterns = grants.map(grantWords)
  if (patterns.length === 0 || !patterns.every((pattern) => plainWords.test(pattern)))
    return {
      kind: 'refused',
      reason:
        'Cadre can write rules only for simple commands, without quotes, patterns or a path to the program. Approve it once, or for the session',
    }
  const planned = withPatterns(textOf(readPlainFile(path) ?? ''), path, patterns)
  if (typeof planned === 'string') return { kind: 'refused', reason: planned }
  return {
    kind: 'ready',
    path,
    lines: planned.lines,
    async write() {
      home.folder('storage')
      await withLock(home, 'allowlist', () => {
        editFile(path, (raw = '') => {
          const now = withPatterns(textOf(raw), path, patterns)
          if (typeof now === 'string') throw new Error(now)
          if (now.lines.length === 0) return undefined
          return raw + rawOf(now.text.slice(textOf(raw).length))
        })
        // Recorded outside the home: without a sandbox, only the user's own rules apply.
        trust.add(patterns.map((pattern) => userRuleItem(path, pattern)))
      })
    },
  }
}

function withPatterns(
  before: string,
  path: string,
  patterns: readonly string[],
): { lines: string[]; text: string } | string {
  const lines: string[] = []
  let text = before
  for (const key of patterns) {
    const result = appendSetting(text, { path, key, value: true })
    if (result.kind === 'refused') return result.reason
    if (result.kind === 'there') continue
    lines.push(result.line)
    text = result.text
  }
  return { lines, text }
}
