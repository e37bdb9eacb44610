import { type JudgedCall, knowsTool, restrictionCoversTool, type SessionSpec, subjectsOf } from '@cadre/core'
import { type CompiledPattern, compileSafePattern } from './compile-safe-pattern.ts'
import type { Hook } from './hook.ts'
import { toHostCalls } from './host-calls.ts'

/** What an event is about, as seen by matchers. */
export type MatchSubject =
  | { readonly kind: 'call'; readonly call: JudgedCall; readonly session: SessionSpec }
  /** The source of a start, the trigger of a compaction, or the names of an agent: any of them may match. */
  | { readonly kind: 'values'; readonly values: readonly string[] }
  /** Nothing to match. */
  | { readonly kind: 'nothing' }

/** Events for which the Copilot CLI evaluates matchers. For its files, Cadre does the same. */
const copilotMatches = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'Notification',
  'PreCompact',
  'SubagentStart',
])

/**
 * True if a hook should run, by the rules of its dialect. In doubt it runs: a matcher that is too slow to evaluate must not
 * disable a check. A matcher that is not a valid regular expression matches nothing, as in every host.
 */
export function matchesHook(hook: Hook, subject: MatchSubject): boolean {
  return matchesSubject(hook, subject) && matchesCondition(hook, subject)
}

function matchesSubject(hook: Hook, subject: MatchSubject): boolean {
  const { matcher = '', dialect, event } = hook
  if (isAll(matcher) || dialect === 'vscode' || subject.kind === 'nothing') return true
  if (dialect === 'copilot' && !copilotMatches.has(event)) return true
  if (subject.kind === 'values') {
    const pattern = patternFor(matcher, dialect === 'copilot')
    if (pattern.kind !== 'pattern') return pattern.kind === 'costly'
    return subject.values.some((value) => pattern.test(value) || matcher.split('|').includes(value))
  }
  const { call, session } = subject
  const names = namesOf(hook, subject)
  const usesClaudeRules = hasClaudeRules(hook)
  if (usesClaudeRules && /^[\w\s|.:/-]+$/.test(matcher))
    return matcher
      .split('|')
      .map((word) => word.trim())
      .some((word) => word !== '' && (names.includes(word) || isForeign(word, call)))
  const rules = usesClaudeRules ? readRules(matcher) : undefined
  if (rules !== undefined) return rules.some((rule) => matchesRule(rule, names, call, session))
  const pattern = patternFor(matcher, dialect === 'copilot')
  switch (pattern.kind) {
    case 'pattern':
      return names.some((name) => pattern.test(name))
    case 'costly':
      return true
    default:
      // No host runs it, and a diagnostic reports this.
      return false
  }
}

/** The Copilot CLI uses Claude's rules for the two deciding events, if they have Claude's spelling. */
function hasClaudeRules({ dialect, casing, event }: Hook): boolean {
  return (
    dialect === 'claude' || (casing === 'pascal' && (event === 'PreToolUse' || event === 'PermissionRequest'))
  )
}

/** A name from another dialect means the tool it names there; one of Claude's own names means exactly that tool. */
function isForeign(word: string, { tool }: JudgedCall): boolean {
  return (
    word === tool.name ||
    (!knowsTool('claude', word) && !/^[a-z]+$/.test(word) && restrictionCoversTool(word, tool))
  )
}

function namesOf(hook: Hook, { call, session }: Extract<MatchSubject, { kind: 'call' }>): string[] {
  return [
    ...new Set(toHostCalls(call, hook, session.workspace).flatMap(({ name, aliases }) => [name, ...aliases])),
  ]
}

interface Rule {
  readonly tool: string
  readonly pattern?: string
}

/** `Bash(git push*)`, as in permission rules. Real files use it as a matcher too. */
function readRules(text: string): readonly Rule[] | undefined {
  const parts = text.replaceAll(/\\([()])/g, '$1').split(/\|(?![^()]*\))/)
  const rules = parts.map((part) => /^\s*([\w-]+)(?:\(([^()]*)\))?\s*$/.exec(part))
  if (rules.some((rule) => rule === null) || !text.includes('(')) return undefined
  return rules.flatMap((rule) =>
    rule?.[1] === undefined ? [] : [{ tool: rule[1], ...(rule[2] !== undefined && { pattern: rule[2] }) }],
  )
}

function matchesRule(rule: Rule, names: readonly string[], call: JudgedCall, session: SessionSpec): boolean {
  if (!names.includes(rule.tool) && !isForeign(rule.tool, call)) return false
  if (rule.pattern === undefined || isAll(rule.pattern)) return true
  if (call.tool.commands?.(call.input).sure === false) return true
  // `.*` where a regular expression was intended, `:*` as in older rules.
  const isHost = /^domain:/i.test(rule.pattern)
  const pattern = isHost ? rule.pattern : rule.pattern.replaceAll('.*', '*').replace(/:\*$/, '*')
  return subjectsOf(call, session.workspace).some((subject) => subject.matchesSome(pattern))
}

function matchesCondition(hook: Hook, subject: MatchSubject): boolean {
  if (hook.condition === undefined || subject.kind !== 'call') return true
  const rules = readRules(hook.condition) ?? [{ tool: hook.condition.trim() }]
  const names = namesOf(hook, subject)
  return rules.some((rule) => matchesRule(rule, names, subject.call, subject.session))
}

function isAll(text: string): boolean {
  return text.trim() === '' || /^\*+$/.test(text.trim()) || text === '.*'
}

const made = new Map<string, CompiledPattern>()

function patternFor(matcher: string, anchored: boolean): CompiledPattern {
  const key = `${anchored ? '^' : ''}${matcher}`
  const known = made.get(key)
  if (known !== undefined) return known
  const pattern = compileSafePattern(matcher, { anchored })
  if (made.size > 1_000) made.clear()
  made.set(key, pattern)
  return pattern
}

/** Returns the problem with a matcher that cannot be used as written. */
export function findMatcherFault(hook: Hook): string | undefined {
  const { matcher = '', dialect, event } = hook
  if (isAll(matcher) || dialect === 'vscode') return undefined
  if (dialect === 'copilot' && !copilotMatches.has(event))
    return `the Copilot CLI ignores matchers for ${event}, so the hook always runs`
  if (hasClaudeRules(hook) && readRules(matcher) !== undefined)
    return 'the matcher is a permission rule, which only Cadre supports: other hosts never run this hook. To run it in other hosts too, move the rule to "if"'
  const { kind } = patternFor(matcher, dialect === 'copilot')
  if (kind === 'costly') return 'this regular expression could run forever, so the hook runs for everything'
  if (kind === 'invalid')
    return `this is not a valid regular expression, so the hook never runs, as in ${dialect === 'claude' ? 'Claude Code' : 'the Copilot CLI'}`
  return undefined
}
