import path from 'node:path'
import type { PathRestriction } from '../effects/denied-paths.ts'
import { type ClaudeRule, subjectOf } from './claude-rule.ts'

/**
 * Paths that rules deny or ask about, in the patterns of policies. A pattern with a set of letters, `[ab]`, is read as any letter: it
 * restricts more, never less.
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
      text: pattern,
      shown: text,
      place,
    }))
  })
}

/**
 * A path in the settings of Claude Code: `//x` is absolute, `~/x` in the user's folder, `/x` in the project or beside the user's settings,
 * anything else in the workspace. `/x` also means the file in a workspace that is a copy of the project.
 */
export function patternsOf(written: string, level: ClaudeRule['level'], project: string): string[] {
  const text = written.length > 1 ? written.replace(/\/+$/, '') : written
  if (text.startsWith('//')) return [text.slice(1)]
  if (text.startsWith('~')) return [text]
  if (text.startsWith('/'))
    return level === 'user' ? [path.posix.join('~/.claude', text)] : [path.join(project, text), text.slice(1)]
  return [text.replace(/^\.\//, '')]
}
