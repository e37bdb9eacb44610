import { interpretToolName, type Json, knowsTool, type NamingHost } from '@cadre/core'
import type { HostEffect, HostName } from './host.ts'

/** The hosts whose tool names are known; extensions of editors can add any others. */
const namingHosts: { readonly [host in HostName]?: NamingHost } = { claude: 'claude', opencode: 'opencode' }
const maxNames = 6

/** Returns the effects of tool names that a host does not know, in a key that it reads. */
export function unknownNameEffects(host: HostName, key: string, value: Json): readonly HostEffect[] {
  const vocabulary = namingHosts[host]
  if (vocabulary === undefined) return []
  const { given, forbidden } = namesIn(key, value)
  const strangers = (names: readonly string[]) => names.filter((name) => !isKnown(vocabulary, name))
  const effect = 'ignored'
  const [nothing, open] = [strangers(given), strangers(forbidden)]
  return [
    ...(nothing.length === 0
      ? []
      : [{ key, effect, note: `unknown names, which grant nothing: ${joinNames(nothing)}` } as const]),
    ...(open.length === 0
      ? []
      : [{ key, effect, note: `unknown names, so this host does not restrict ${joinNames(open)}` } as const]),
  ]
}

/** Plugins and servers of opencode can have tools of any name, so only names of other hosts count as unknown. */
function isKnown(host: NamingHost, name: string): boolean {
  if (knowsTool(host, name)) return true
  if (host !== 'opencode') return false
  const { kind } = interpretToolName(name)
  return kind === 'unknown' || kind === 'server'
}

function namesIn(key: string, value: Json): { given: readonly string[]; forbidden: readonly string[] } {
  const none: readonly string[] = []
  if (key === 'permission') return { given: none, forbidden: rulesIn(value) }
  if (key !== 'tools' && key !== 'disallowedTools') return { given: none, forbidden: none }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const entries = Object.entries(value)
    const those = (wanted: boolean) => entries.flatMap(([name, is]) => (is === wanted ? [name] : []))
    // If everything else is denied, nothing needs to be denied by name.
    return { given: those(true), forbidden: those(false).includes('*') ? none : those(false) }
  }
  const names = splitNames(value)
  return key === 'tools' ? { given: names, forbidden: none } : { given: none, forbidden: names }
}

/** Keys of `permission` that restrict something. */
function rulesIn(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, rule]) => (rule === 'allow' ? [] : [name]))
}

/** Returns names without the text in parentheses, in which commas do not separate. */
function splitNames(value: Json): readonly string[] {
  const texts = typeof value === 'string' ? [value] : Array.isArray(value) ? value : []
  return texts
    .flatMap((text) => (typeof text === 'string' ? text.replaceAll(/\([^)]*\)/g, '').split(/[,\s]+/) : []))
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function joinNames(names: readonly string[]): string {
  const some = [...new Set(names)]
  const first = some.slice(0, maxNames).map((name) => name.slice(0, 80))
  return some.length > maxNames ? `${first.join(', ')} and ${some.length - maxNames} more` : first.join(', ')
}
