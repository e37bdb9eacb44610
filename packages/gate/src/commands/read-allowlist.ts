import { type Diagnostic, type Located, readYaml } from '@cadre/disk'
import { type Allowlist, createAllowlist, type Entry } from './allowlist.ts'
import { readPattern } from './pattern.ts'

const words: { readonly [word: string]: 'allow' | 'ask' | 'deny' } = {
  allow: 'allow',
  ask: 'ask',
  deny: 'deny',
  true: 'allow',
  false: 'ask',
}

export interface ReadAllowlist {
  readonly allowlist: Allowlist
  /** The same without what it allows: for lists that nobody has agreed to. */
  readonly narrowing: Allowlist
  readonly diagnostics: readonly Diagnostic[]
  readonly widens: boolean
}

/** For a list that was not understood: what it forbids is not known, so everything is asked about. */
export function askingAllowlist(path: string, list?: Allowlist): Allowlist {
  return {
    match(words, line) {
      const said = list?.match(words, line)
      return said?.decision === 'deny' ? said : { decision: 'ask', rule: `${path} is not understood` }
    },
  }
}

/**
 * Reads `terminal-cmd-allowlist.yaml`: patterns, and what is decided about commands that fit. A value that is not
 * understood asks. Where nobody can tell what a list forbids, because it cannot be read or a pattern that restricts is not
 * understood, every command is asked about: what was meant to be refused must not be let through by somebody else.
 */
export function readAllowlist(
  text: string,
  path: string,
  isOwn?: (pattern: string) => boolean,
): ReadAllowlist {
  const read = text.trim() === '' ? undefined : readYaml({ text, path })
  if (read?.kind === 'broken') return lost(path, read.diagnostics)
  const root = read?.root
  if (root !== undefined && root.fields === undefined && root.value !== null) {
    const message = 'This is not a mapping of patterns.'
    return lost(path, [fault(path, root.line, message, 'Write lines such as `git status: allow`.')])
  }
  const diagnostics: Diagnostic[] = []
  const entries: Entry[] = []
  const unset: string[] = []
  let isLost = false
  for (const [key, field] of root?.fields ?? []) {
    const said = readValue(field)
    if (said === 'unset') {
      unset.push(key.trim())
      continue
    }
    if (typeof said === 'string')
      diagnostics.push(
        fault(
          path,
          field.line,
          `The value of ${JSON.stringify(key)} is not understood: ${said}.`,
          'Write allow, ask, deny, true, false or null; until then it is asked about.',
        ),
      )
    const value = typeof said === 'string' ? ({ decision: 'ask', matchCommandLine: false } as const) : said
    const pattern = readPattern({ text: key, ...value })
    if (!('fault' in pattern)) entries.push({ text: key.trim(), decision: value.decision, pattern })
    else {
      const message = `The pattern ${JSON.stringify(key)} is not understood: ${pattern.fault}.`
      const restricts = value.decision !== 'allow'
      const diagnostic = fault(path, field.line, message)
      diagnostics.push(restricts ? telling(diagnostic) : diagnostic)
      isLost ||= restricts
    }
  }
  const listOf = (some: readonly Entry[]) => {
    const list = createAllowlist(some, unset, isOwn)
    return isLost ? askingAllowlist(path, list) : list
  }
  return {
    allowlist: listOf(entries),
    narrowing: listOf(entries.filter(({ decision }) => decision !== 'allow')),
    diagnostics,
    widens: entries.some(({ decision }) => decision === 'allow'),
  }
}

function lost(path: string, diagnostics: readonly Diagnostic[]): ReadAllowlist {
  const allowlist = askingAllowlist(path)
  return { allowlist, narrowing: allowlist, diagnostics: diagnostics.map(telling), widens: false }
}

function telling({ fix, ...diagnostic }: Diagnostic): Diagnostic {
  const until = 'Until it is fixed, every command asks.'
  return { ...diagnostic, fix: fix === undefined ? until : `${fix} ${until}` }
}

type Value = { readonly decision: 'allow' | 'ask' | 'deny'; readonly matchCommandLine: boolean }

/** A text says what is wrong. */
function readValue({ value, fields }: Located): Value | 'unset' | string {
  if (value === null) return 'unset'
  if (fields === undefined) {
    const decision = Object.hasOwn(words, String(value)) ? words[String(value)] : undefined
    return decision === undefined || typeof value === 'object'
      ? JSON.stringify(value)
      : { decision, matchCommandLine: false }
  }
  const {
    approve = null,
    matchCommandLine = false,
    ...rest
  } = value as { approve?: unknown; matchCommandLine?: unknown }
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return `it has a key ${JSON.stringify(unknown)}`
  if (typeof matchCommandLine !== 'boolean') return 'matchCommandLine is neither true nor false'
  if (approve === null) return 'unset'
  const decision = Object.hasOwn(words, String(approve)) ? words[String(approve)] : undefined
  return decision === undefined ? 'approve is none of the words' : { decision, matchCommandLine }
}

function fault(path: string, line: number, message: string, fix?: string): Diagnostic {
  return {
    path,
    line,
    severity: 'error',
    code: 'allowlist-entry',
    message,
    ...(fix !== undefined && { fix }),
  }
}
