import { readPattern } from '../commands/pattern.ts'
import { type ClaudeRule, subjectOf } from './claude-rule.ts'

/** Whether a rule allows something that would be asked about without it. */
export function widens(rule: ClaudeRule): boolean {
  if (rule.decision !== 'allow') return false
  const subject = subjectOf(rule)
  if (subject.kind === 'command') return allowedWords(subject.pattern) !== undefined
  if (subject.kind === 'paths') return subject.use === 'write' && !/[[\]{}]/.test(subject.pattern)
  if (subject.kind === 'domain') return true
  // Everything at once is never allowed: what a command does is in its words.
  return subject.kind === 'tool' && /^(?:Edit|Write|MultiEdit|NotebookEdit|WebFetch|mcp__.+)$/.test(rule.tool)
}

export interface AllowedWords {
  readonly pattern: Exclude<ReturnType<typeof readPattern>, { fault: string }>
  /** The command has these words and no more. */
  readonly exactly?: number
}

/**
 * The words of a command that a rule allows; nothing where it cannot be compared word by word. Narrower than in Claude Code: a `*` in
 * the middle is one word, or a part of one.
 */
export function allowedWords(text: string): AllowedWords | undefined {
  const isPrefix = /(?::\*| \*)$/.test(text)
  const words = text.replace(/(?::\*| \*)$/, '')
  const pattern = readPattern({ text: words, decision: 'allow', matchCommandLine: false })
  if ('fault' in pattern) return undefined
  // A last `*` would be the rest of the command.
  if (!isPrefix && /(?:^|\s)\*$/.test(words)) return undefined
  return isPrefix ? { pattern } : { pattern, exactly: words.split(' ').length }
}
