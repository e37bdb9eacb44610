import { findMisspelling } from './nearest.ts'
import { interpretToolName } from './vocabulary.ts'
import { foreignToolNames } from './vocabulary-elsewhere.ts'
import { classWords, ownTools } from './vocabulary-tools.ts'

/** All tool names in the vocabulary, the most common first. Used to find misspellings. */
export function knownTools(): readonly string[] {
  const own = Object.entries(ownTools).flatMap(([tool, { names }]) => [tool, ...names])
  return [...new Set([...Object.keys(classWords), ...own, ...Object.values(foreignToolNames).flat()])]
}

/**
 * Returns the tool or class that a name seems to misspell. Returns `undefined` for known names, and for names that resemble none: they may
 * be tools of another host, a server or the user.
 */
export function misspeltTool(name: string): string | undefined {
  const written = name.trim()
  const { kind } = interpretToolName(written)
  if (kind === 'all' || kind === 'class' || kind === 'tools' || written.includes('*')) return undefined
  const known = knownTools()
  const wanted = written.toLowerCase()
  return known.some((one) => one.toLowerCase() === wanted) ? undefined : findMisspelling(written, known)
}
