import { matchesPattern } from '@cadre/disk'
import type { Allowlist, AllowlistDecision } from '../commands/allowlist.ts'
import { formatWords } from '../commands/format-words.ts'
import { programOf } from '../commands/program-name.ts'
import { allowedWords } from './allows-more.ts'
import { type ClaudeRule, subjectOf } from './claude-rule.ts'

const maxLength = 10_000

/**
 * Turns the rules about commands into one allowlist, which is applied to every command of a line. A deny or ask applies if
 * the command or the line may match. An allow needs the words of the command, and lines outside the grammar of the gate
 * always need approval.
 */
export function permissionCommands(rules: readonly ClaudeRule[]): Allowlist {
  const about = rules.flatMap((rule) => {
    const subject = subjectOf(rule)
    return subject.kind === 'command' ? [{ rule, pattern: subject.pattern }] : []
  })
  const restricting = (['deny', 'ask'] as const).flatMap((decision) =>
    about.filter(({ rule }) => rule.decision === decision),
  )
  const allowing = about.flatMap(({ rule, pattern }) => {
    const words = rule.decision === 'allow' ? allowedWords(pattern) : undefined
    return words === undefined ? [] : [{ rule, ...words }]
  })
  return {
    match(words, line): AllowlistDecision | undefined {
      const readings = readingsOf(words, line)
      const found = restricting.find(({ pattern }) => readings.some((reading) => mayFit(reading, pattern)))
      if (found !== undefined)
        return { decision: found.rule.decision, rule: found.rule.text, place: found.rule.place }
      const allowed = allowing.filter(
        ({ pattern, exactly }) =>
          pattern.fits(words, line) === true && (exactly === undefined || exactly === words.length),
      )
      // The user's own rule also applies without a sandbox.
      const best = allowed.find(({ rule }) => rule.level === 'user') ?? allowed[0]
      if (best === undefined) return undefined
      return {
        decision: 'allow',
        rule: best.rule.text,
        place: best.rule.place,
        names: best.pattern.names,
        own: best.rule.level === 'user',
      }
    },
  }
}

/** The command as written, with the plain name of its program, and the whole line. */
function readingsOf(words: readonly string[], line: string): string[] {
  const [program = '', ...rest] = words
  const plain = [programOf(program), ...rest]
  return [words.join(' '), plain.join(' '), formatWords(plain), line.trim().replace(/\s+/g, ' ')]
}

/** A text that is too long to compare might match. */
function mayFit(text: string, pattern: string): boolean {
  if (text.length > maxLength) return true
  const isPrefix = pattern.endsWith(':*')
  const start = isPrefix ? pattern.slice(0, -2) : pattern
  if (matchesPattern(text, start)) return true
  if (isPrefix) return matchesPattern(text, `${start} *`)
  return start.endsWith(' *') && matchesPattern(text, start.slice(0, -2))
}
