import { readJson } from '@cadre/agents'
import type { Diagnostic } from '@cadre/disk'
import { allowsMore } from './allows-more.ts'
import { type ClaudeRule, readRule, subjectOf } from './claude-rule.ts'

export interface ParsedPermissions {
  readonly rules: readonly ClaudeRule[]
  readonly diagnostics: readonly Diagnostic[]
  /** It is unknown what the file denies, so every call needs approval. */
  readonly isLost: boolean
}

export interface PermissionsFile {
  readonly path: string
  readonly text: string
  readonly level: ClaudeRule['level']
}

const decisions = ['deny', 'ask', 'allow'] as const
/** Keys without rules. They need no support: they disable modes that Cadre does not have. */
const ignoredKeys = new Set([...decisions, 'disableBypassPermissionsMode', 'disableAutoMode'])

/** Reads `permissions` from a settings file of Claude Code. Reports what is not supported. Never throws. */
export function readPermissions({ path, text, level }: PermissionsFile): ParsedPermissions {
  const diagnostics: Diagnostic[] = []
  const report = (severity: Diagnostic['severity'], line: number, message: string, code = 'permissions') => {
    diagnostics.push({ path, line, severity, code, message })
  }
  const { root, diagnostics: faults } = readJson({ path, text })
  // After a syntax error, rules may be missing.
  if (root === undefined || faults.length > 0) {
    if (!/"permissions"/.test(text)) return { rules: [], diagnostics, isLost: false }
    report(
      'error',
      faults[0]?.line ?? 1,
      'Cadre cannot read this file, so every call needs approval. Fix the file.',
    )
    return { rules: [], diagnostics, isLost: true }
  }
  const permissions = root.fields?.get('permissions')
  if (permissions === undefined) return { rules: [], diagnostics, isLost: false }
  let isLost = permissions.fields === undefined
  const rules = decisions.flatMap((decision) => {
    const list = permissions.fields?.get(decision)
    if (list === undefined) return []
    if (list.items === undefined && decision !== 'allow') isLost = true
    return (list.items ?? []).flatMap((item): ClaudeRule[] => {
      const { value, line } = item
      const rule = typeof value === 'string' ? readRule(value, decision, `${path}:${line}`, level) : undefined
      if (rule !== undefined) return [rule]
      if (decision !== 'allow') isLost = true
      return []
    })
  })
  if (isLost)
    report(
      'error',
      permissions.line,
      'A list of permissions is not valid, so every call needs approval. Write lists of strings.',
    )
  for (const rule of rules) {
    const why = unsupportedIn(rule)
    if (why !== undefined)
      report('warning', Number(rule.place.slice(path.length + 1)), why, 'permissions-unsupported')
  }
  for (const [key, { line, value }] of permissions.fields ?? []) {
    if (ignoredKeys.has(key) || (key === 'defaultMode' && value === 'default')) continue
    if (key === 'additionalDirectories' && Array.isArray(value) && value.length === 0) continue
    report(
      'warning',
      line,
      `permissions.${key} is not supported, so it has no effect.`,
      'permissions-unsupported',
    )
  }
  return { rules, diagnostics, isLost }
}

/** Returns a sentence about a rule that has another effect than written. */
function unsupportedIn(rule: ClaudeRule): string | undefined {
  const { decision, text } = rule
  const subject = subjectOf(rule)
  if (subject.kind === 'unsupported')
    return decision === 'allow'
      ? `${text} allows nothing: ${subject.why}.`
      : `${text} asks about every call to the tool: ${subject.why}.`
  if (decision !== 'allow' || allowsMore(rule)) return undefined
  if (rule.tool === 'Bash')
    return `${text} allows nothing: a rule must name a command, and this rule would allow every command.`
  if (subject.kind === 'domain')
    return `${text} allows nothing: a rule that allows fetching must name the host as in WebFetch(domain:docs.example.com).`
  return undefined
}
