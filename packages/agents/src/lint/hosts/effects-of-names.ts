import { type Json, knowsTool, type NamingHost, understandTool } from '@cadre/core'
import type { HostEffect, HostName } from './host.ts'

/** Of these it is known what they call their tools; the editor's extensions bring more than anybody could list. */
const naming: { readonly [host in HostName]?: NamingHost } = { claude: 'claude', opencode: 'opencode' }
const most = 6

/** What becomes of names of tools that a host does not know, in a key that it reads. */
export function effectsOfNames(host: HostName, key: string, value: Json): readonly HostEffect[] {
  const vocabulary = naming[host]
  if (vocabulary === undefined) return []
  const { given, forbidden } = namesIn(key, value)
  const strangers = (names: readonly string[]) => names.filter((name) => !isKnown(vocabulary, name))
  const effect = 'ignored'
  const [nothing, open] = [strangers(given), strangers(forbidden)]
  return [
    ...(nothing.length === 0
      ? []
      : [{ key, effect, note: `unknown names, which grant nothing: ${shown(nothing)}` } as const]),
    ...(open.length === 0
      ? []
      : [{ key, effect, note: `unknown names, so it does not restrict ${shown(open)}` } as const]),
  ]
}

/** Plugins and servers of opencode have tools of any name; so only names count that somebody else is known to use. */
function isKnown(host: NamingHost, name: string): boolean {
  if (knowsTool(host, name)) return true
  if (host !== 'opencode') return false
  const { kind } = understandTool(name)
  return kind === 'unknown' || kind === 'server'
}

function namesIn(key: string, value: Json): { given: readonly string[]; forbidden: readonly string[] } {
  const none: readonly string[] = []
  if (key === 'permission') return { given: none, forbidden: rulesIn(value) }
  if (key !== 'tools' && key !== 'disallowedTools') return { given: none, forbidden: none }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const entries = Object.entries(value)
    const those = (wanted: boolean) => entries.flatMap(([name, is]) => (is === wanted ? [name] : []))
    // Where everything else is forbidden, nothing has to be forbidden by name.
    return { given: those(true), forbidden: those(false).includes('*') ? none : those(false) }
  }
  const names = listed(value)
  return key === 'tools' ? { given: names, forbidden: none } : { given: none, forbidden: names }
}

/** Keys of `permission` that hold something back. */
function rulesIn(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, rule]) => (rule === 'allow' ? [] : [name]))
}

/** Names without what is in parentheses behind them; commas in those separate nothing. */
function listed(value: Json): readonly string[] {
  const texts = typeof value === 'string' ? [value] : Array.isArray(value) ? value : []
  return texts
    .flatMap((text) => (typeof text === 'string' ? text.replaceAll(/\([^)]*\)/g, '').split(/[,\s]+/) : []))
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function shown(names: readonly string[]): string {
  const some = [...new Set(names)]
  const first = some.slice(0, most).map((name) => name.slice(0, 80))
  return some.length > most ? `${first.join(', ')} and ${some.length - most} more` : first.join(', ')
}
