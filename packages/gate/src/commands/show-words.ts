/** As a person would write them. Words that could be taken for several are quoted. */
export function showWords(words: readonly string[]): string {
  return words.map(showWord).join(' ')
}

function showWord(word: string): string {
  if (/^[\w@%+=:,./~^*?{}[\]$#!-]+$/u.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}
