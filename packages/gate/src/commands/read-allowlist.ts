import { type Diagnostic, type Located, readYaml } from '@cadre/disk'
import { type Allowlist, type AllowlistEntry, createAllowlist, type Decision } from './allowlist.ts'
import { readCommandPattern } from './command-pattern.ts'

const decisions = { allow: 'allow', ask: 'ask', deny: 'deny', true: 'allow', false: 'ask' } as const

export interface AllowlistResult {
  readonly allowlist: Allowlist
  /** The list without its `allow` entries, for untrusted lists. */
  readonly narrowing: Allowlist
  readonly diagnostics: readonly Diagnostic[]
  readonly widens: boolean
}

/** For a list that could not be parsed: what it denies is unknown, so every command needs approval. */
export function askAlwaysAllowlist(path: string, list?: Allowlist): Allowlist {
  return {
    match(words, line) {
      const said = list?.match(words, line)
      return said?.decision === 'deny' ? said : { decision: 'ask', rule: `${path} is not valid` }
    },
  }
}

/**
 * Parses `terminal-cmd-allowlist.yaml`: patterns, and the decision for matching commands. An invalid value means `ask`. If
 * it is unknown what a list denies, because the file or a restricting pattern is invalid, every command needs approval: a
 * command that the list was meant to deny must not be allowed by another list.
 */
export function readAllowlist(
  text: string,
  path: string,
  isOwn?: (pattern: string) => boolean,
): AllowlistResult {
  const fault = (line: number, message: string, fix?: string): Diagnostic => {
    return {
      path,
      line,
      severity: 'error',
      code: 'allowlist-entry',
      message,
      ...(fix !== undefined && { fix }),
    }
  }
  const read = text.trim() === '' ? undefined : readYaml({ text, path })
  if (read?.kind === 'broken') return unreadableList(path, read.diagnostics)
  const root = read?.root
  if (root !== undefined && root.fields === undefined && root.value !== null) {
    const message = 'This file must be a mapping of patterns.'
    return unreadableList(path, [fault(root.line, message, 'Write lines such as `git status: allow`.')])
  }
  const diagnostics: Diagnostic[] = []
  const entries: AllowlistEntry[] = []
  const unset: string[] = []
  let isLost = false
  for (const [key, field] of root?.fields ?? []) {
    const said = readValue(field)
    if (said === 'unset') {
      unset.push(key.trim())
      continue
    }
    if (typeof said === 'string') {
      const message = `The value of ${JSON.stringify(key)} is not valid: ${said}.`
      const fix = 'Write allow, ask, deny, true, false or null. Until then, it needs approval.'
      diagnostics.push(fault(field.line, message, fix))
    }
    const value = typeof said === 'string' ? askDecision : said
    const pattern = readCommandPattern({ text: key, ...value })
    if ('fault' in pattern) {
      const message = `The pattern ${JSON.stringify(key)} is not valid: ${pattern.fault}.`
      const restricts = value.decision !== 'allow'
      diagnostics.push(restricts ? explainDiagnostic(fault(field.line, message)) : fault(field.line, message))
      isLost ||= restricts
    } else entries.push({ text: key.trim(), decision: value.decision, pattern })
  }
  const listOf = (some: readonly AllowlistEntry[]) => {
    const list = createAllowlist(some, unset, isOwn)
    return isLost ? askAlwaysAllowlist(path, list) : list
  }
  const restricting = entries.filter(({ decision }) => decision !== 'allow')
  const widens = restricting.length < entries.length
  return { allowlist: listOf(entries), narrowing: listOf(restricting), diagnostics, widens }
}

function unreadableList(path: string, diagnostics: readonly Diagnostic[]): AllowlistResult {
  const allowlist = askAlwaysAllowlist(path)
  return { allowlist, narrowing: allowlist, diagnostics: diagnostics.map(explainDiagnostic), widens: false }
}

function explainDiagnostic({ fix, ...diagnostic }: Diagnostic): Diagnostic {
  const until = 'Until it is fixed, every command needs approval.'
  return { ...diagnostic, fix: fix === undefined ? until : `${fix} ${until}` }
}

interface Value {
  readonly decision: Decision
  readonly matchCommandLine: boolean
}

const askDecision: Value = { decision: 'ask', matchCommandLine: false }

/** Returns a text with the error if the value is invalid. A plain value is short for `approve`. */
function readValue({ value, fields }: Located): Value | 'unset' | string {
  const isAlone = fields === undefined
  const written = (isAlone ? { approve: value } : value) as { readonly [key: string]: unknown }
  const { approve = null, matchCommandLine = false, ...rest } = written
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return `the entry has an unknown key ${JSON.stringify(unknown)}`
  if (typeof matchCommandLine !== 'boolean') return 'matchCommandLine must be true or false'
  if (approve === null) return 'unset'
  const word = String(approve) as keyof typeof decisions
  if (Object.hasOwn(decisions, word) && !(isAlone && typeof value === 'object'))
    return { decision: decisions[word], matchCommandLine }
  return isAlone ? JSON.stringify(value) : 'approve must be one of these words'
}
