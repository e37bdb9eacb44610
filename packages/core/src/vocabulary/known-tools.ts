import { misspelt } from './nearest.ts'
import { understandTool } from './vocabulary.ts'
import { knownElsewhere } from './vocabulary-elsewhere.ts'
import { classWords, ownTools } from './vocabulary-tools.ts'

/** Every name of a tool that is in the vocabulary, the best known first: what a misspelt one is compared with. */
export function knownTools(): readonly string[] {
  const own = Object.entries(ownTools).flatMap(([tool, { names }]) => [tool, ...names])
  return [...new Set([...Object.keys(classWords), ...own, ...Object.values(knownElsewhere).flat()])]
}

/**
 * The tool or class of which a name seems to be a misspelling; `undefined` for one that is known, and for one that is like none of
 * them: it may be a tool of another host, of a server or of one's own.
 */
export function misspeltTool(name: string): string | undefined {
  const written = name.trim()
  const { kind } = understandTool(written)
  if (kind === 'all' || kind === 'class' || kind === 'tools' || written.includes('*')) return undefined
  const known = knownTools()
  const wanted = written.toLowerCase()
  return known.some((one) => one.toLowerCase() === wanted) ? undefined : misspelt(written, known)
}
