import { readHostPattern } from '@cadre/core'
import type { Decision } from '../commands/allowlist.ts'

/** One rule of `permissions` in Claude Code's settings. */
export interface ClaudeRule {
  readonly decision: Decision
  /** As written: `Bash(git push *)`. */
  readonly text: string
  /** `Bash`. */
  readonly tool: string
  /** `git push *`. */
  readonly specifier?: string
  /** `path:line`. */
  readonly place: string
  /** The user's own settings, or files in the project. */
  readonly level: 'user' | 'project'
}

/** What a rule applies to. */
export type RuleSubject =
  /** Calls of the tools that this name covers. */
  | { readonly kind: 'tool' }
  /** Files that may not be read, or not be changed. */
  | { readonly kind: 'paths'; readonly use: 'read' | 'write'; readonly pattern: string }
  | { readonly kind: 'command'; readonly pattern: string }
  | { readonly kind: 'domain'; readonly domain: string }
  | { readonly kind: 'agent' | 'skill'; readonly name: string }
  /** Cadre does not support this rule. */
  | { readonly kind: 'unsupported'; readonly why: string }

/** Parses `Bash(git push *)`. Undefined if it is not a rule. */
export function readRule(
  text: string,
  decision: Decision,
  place: string,
  level: ClaudeRule['level'],
): ClaudeRule | undefined {
  const found = /^\s*([\w.*-]+?)\s*(?:\(([\s\S]*)\))?\s*$/.exec(text)
  if (found === null) return undefined
  const [, tool = '', specifier] = found
  return { decision, text: text.trim(), tool, place, level, ...(specifier !== undefined && { specifier }) }
}

const reading = /^(?:Read|Grep|Glob|LS|NotebookRead)$/
const writing = /^(?:Edit|Write|MultiEdit|NotebookEdit)$/

/** Returns what a rule applies to, by its tool name and the text in parentheses. */
export function subjectOf({ tool, specifier }: Pick<ClaudeRule, 'tool' | 'specifier'>): RuleSubject {
  if (specifier === undefined || specifier === '*') return { kind: 'tool' }
  if (tool === 'Bash') return { kind: 'command', pattern: specifier.trim().replace(/\s+/g, ' ') }
  if (reading.test(tool)) return pathsOf('read', specifier)
  if (writing.test(tool)) return pathsOf('write', specifier)
  const domain = /^domain:(.+)$/.exec(specifier)?.[1]?.trim()
  if (tool === 'WebFetch' && domain !== undefined && readHostPattern(domain) !== undefined)
    return { kind: 'domain', domain: domain.toLowerCase() }
  if (/^(?:Agent|Task)$/.test(tool)) return { kind: 'agent', name: specifier }
  if (tool === 'Skill') return { kind: 'skill', name: specifier.replace(/(?::| )\*$/, '') }
  return { kind: 'unsupported', why: `Cadre does not support ${JSON.stringify(specifier)} for ${tool}` }
}

function pathsOf(use: 'read' | 'write', specifier: string): RuleSubject {
  if (specifier.startsWith('!'))
    return { kind: 'unsupported', why: 'patterns that start with ! are not supported' }
  return { kind: 'paths', use, pattern: specifier }
}
