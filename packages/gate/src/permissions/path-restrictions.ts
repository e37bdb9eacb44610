import path from 'node:path'
import type { PathRestriction } from '../effects/denied-paths.ts'
import { type ClaudeRule, subjectOf } from './claude-rule.ts'

/**
 * Returns the paths that rules deny or ask about, as policy patterns. A character set `[ab]` is treated as any character:
 * this restricts more, never less.
 */
export function pathRestrictions(rules: readonly ClaudeRule[], project: string): PathRestriction[] {
  return rules.flatMap((rule) => {
    const { decision, text, place } = rule
    const subject = subjectOf(rule)
    if (subject.kind !== 'paths' || decision === 'allow') return []
    const patterns = patternsOf(subject.pattern.replace(/\[[^\]]*\]/g, '?'), rule.level, project)
    return patterns.map((pattern) => ({
      decision,
      use: subject.use,
      key: `permissions.${decision}`,
      rule: `permissions: ${text}` as const,
      text: pattern,
      shown: text,
      place,
    }))
  })
}

/**
 * Translates a path in Claude Code's settings: `//x` is absolute, `~/x` in the user's home, `/x` in the project or
 * next to the user's settings, anything else in the workspace. `/x` also matches that file in a workspace that is a copy of
 * the project.
 */
export function patternsOf(written: string, level: ClaudeRule['level'], project: string): string[] {
  const text = written.length > 1 ? written.replace(/\/+$/, '') : written
  if (text.startsWith('//')) return [text.slice(1)]
  if (text.startsWith('~')) return [text]
  if (text.startsWith('/'))
    return level === 'user' ? [path.posix.join('~/.claude', text)] : [path.join(project, text), text.slice(1)]
  return [text.replace(/^\.\//, '')]
}
