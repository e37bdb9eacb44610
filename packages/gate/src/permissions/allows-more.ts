import { isServerTool } from '@cadre/core'
import { readCommandPattern } from '../commands/command-pattern.ts'
import { type ClaudeRule, subjectOf } from './claude-rule.ts'

/** True if a rule allows something that would otherwise need approval. */
export function allowsMore(rule: ClaudeRule): boolean {
  if (rule.decision !== 'allow') return false
  const subject = subjectOf(rule)
  if (subject.kind === 'command') return allowedWords(subject.pattern) !== undefined
  if (subject.kind === 'paths') return subject.use === 'write' && !/[[\]{}]/.test(subject.pattern)
  // A `*` stands only for the names below a host, and another spelling of a host would match nothing.
  if (subject.kind === 'domain') return /^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/.test(subject.domain)
  // Never allows all commands: the effect of a command is in its words.
  return (
    subject.kind === 'tool' &&
    (/^(?:Edit|Write|MultiEdit|NotebookEdit|WebFetch|mcp__.+)$/.test(rule.tool) || isServerTool(rule.tool))
  )
}

export interface AllowedWords {
  readonly pattern: Exclude<ReturnType<typeof readCommandPattern>, { fault: string }>
  /** The number of words, if the command must have no others. */
  readonly exactly?: number
}

/**
 * Returns the command words that a rule allows, or undefined if they cannot be compared word by word. Narrower than in
 * Claude Code: a `*` in the middle matches one word or a part of it.
 */
export function allowedWords(text: string): AllowedWords | undefined {
  const isPrefix = /(?::\*| \*)$/.test(text)
  const words = text.replace(/(?::\*| \*)$/, '')
  const pattern = readCommandPattern({ text: words, decision: 'allow', matchCommandLine: false })
  if ('fault' in pattern) return undefined
  // A final `*` would match the rest of the command.
  if (!isPrefix && /(?:^|\s)\*$/.test(words)) return undefined
  return isPrefix ? { pattern } : { pattern, exactly: words.split(' ').length }
}
