import type { NamedTool } from './dialect-tools.ts'
import { findKey, type HeaderDialect, keysOf, valueKindOf } from './header-keys.ts'
import type { HeaderPosition } from './header-position.ts'

export interface Suggestion {
  readonly label: string
  readonly insert: string
  readonly about?: string
  readonly kind: 'key' | 'value' | 'tool' | 'agent' | 'model'
}

/** The names that can be used in a header now. */
export interface Names {
  readonly agents: readonly { readonly name: string; readonly description?: string }[]
  readonly tools: readonly NamedTool[]
  readonly models: readonly string[]
}

export interface SuggestRequest {
  readonly spot: HeaderPosition
  readonly dialect: HeaderDialect
  readonly names: Names
  /** VS Code completes such files itself: only what it does not offer is added. */
  readonly isBeside: boolean
}

/** What VS Code offers in a list of tools: its own groups, and Claude Code's tools in files for that. */
const offeredTools = new Set(
  'agent edit execute read search todo vscode web Bash Edit Glob Grep NotebookEdit Read Task WebFetch WebSearch Write'.split(
    ' ',
  ),
)

/** Returns completions at a position of a header. Excludes what is already there. */
export function suggestValues({ spot, dialect, names, isBeside }: SuggestRequest): readonly Suggestion[] {
  const isNew = (name: string) => !spot.present.some((other) => other.toLowerCase() === name.toLowerCase())
  if (spot.kind === 'key')
    return keysOf(dialect, spot.path)
      .filter(({ key, isOwn }) => isNew(key) && (!isBeside || isOwn === true))
      .map(({ key, about }) => ({ label: key, insert: `${key}: `, about, kind: 'key' }))
  const [outer = '', inner] = spot.path
  const key = inner === undefined ? findKey(dialect, [], outer) : findKey(dialect, [outer], inner)
  switch (valueKindOf(spot.path)) {
    case 'tools':
      return names.tools
        .filter(({ name }) => isNew(name) && !(isBeside && (offeredTools.has(name) || name.includes('/'))))
        .map(({ name, about }) => ({ label: name, insert: quoteYaml(name), about, kind: 'tool' }))
    case 'agents':
      return names.agents
        .filter(({ name }) => isNew(name) && !(isBeside && inner === undefined))
        .map(({ name, description }) => ({
          label: name,
          insert: quoteYaml(name),
          kind: 'agent',
          ...(description !== undefined && { about: description }),
        }))
    case 'models':
      return isBeside
        ? []
        : names.models
            .filter(isNew)
            .map((name) => ({ label: name, insert: quoteYaml(name), kind: 'model' as const }))
    default:
      return isBeside
        ? []
        : (key?.values ?? []).map((value) => ({ label: value, insert: value, kind: 'value' as const }))
  }
}

/** Quotes a text so that YAML reads it back, even within a list. */
export function quoteYaml(text: string): string {
  return /^[A-Za-z0-9_][\w ./()+-]*$/.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|~|[\d.]+)$/i.test(text)
    ? text
    : JSON.stringify(text)
}
