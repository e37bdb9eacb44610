import { knownElsewhere } from './vocabulary-elsewhere.ts'
import { classWords, ownTools } from './vocabulary-tools.ts'

/** Every name of a tool that is in the vocabulary, the best known first: what a misspelt one is compared with. */
export function knownTools(): readonly string[] {
  const own = Object.entries(ownTools).flatMap(([tool, { names }]) => [tool, ...names])
  return [...new Set([...Object.keys(classWords), ...own, ...Object.values(knownElsewhere).flat()])]
}
