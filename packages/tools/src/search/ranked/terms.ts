import { isStopWord } from '../show-found.ts'

const maxLength = 64
const words = /[\p{L}\p{N}_$]+/gu
/** Languages without spaces between words: every pair of letters is indexed. */
const unsegmented = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2,}/gu

/** The same words occur again and again, and a lookup is cheaper than splitting them. */
function memoize<T>(make: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>()
  return (word) => {
    let made = known.get(word)
    if (made === undefined) {
      made = make(word)
      if (known.size >= 50_000) known.clear()
      known.set(word, made)
    }
    return made
  }
}

const partsOf = memoize((word): readonly string[] => {
  if (word.length > maxLength * 4) return []
  const parts = word
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[ _$]+/)
    .filter((part) => part !== '')
  const found = parts.length > 1 ? [...parts, word] : parts
  for (const [run] of word.matchAll(unsegmented))
    for (let at = 0; at + 2 <= run.length; at++) found.push(run.slice(at, at + 2))
  return found
})

/** Returns the words of a text. A compound name is found by each of its words and as a whole: `openPool`, `open_pool`. */
export function splitIntoWords(text: string): string[] {
  const found: string[] = []
  for (const word of text.match(words) ?? []) for (const part of partsOf(word)) found.push(part)
  return found
}

/** The normalized form of a word; undefined for stop words. */
export const termOf = memoize((word): string | null => {
  const plain = word.normalize('NFKC').toLowerCase()
  if (plain.length < 2 || plain.length > maxLength || isStopWord(plain)) return null
  return stem(plain)
})

/** Removes only the most common English endings: enough that `retries` finds `retry`, but unlike words stay apart. */
function stem(word: string): string {
  if (word.length < 5 || !/^[a-z]+$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
  if (/[^su]s$/.test(word)) return word.slice(0, -1)
  if (word.length > 6 && word.endsWith('ing')) return word.slice(0, -3)
  if (word.length > 5 && word.endsWith('ed')) return word.slice(0, -2)
  return word
}
