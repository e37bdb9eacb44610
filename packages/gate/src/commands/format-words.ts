/** Returns the words as a person would write them. Ambiguous words are quoted. */
export function formatWords(words: readonly string[]): string {
  return words.map(showWord).join(' ')
}

function showWord(word: string): string {
  if (/^[\w@%+=:,./~^*?{}[\]$#!-]+$/u.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}
