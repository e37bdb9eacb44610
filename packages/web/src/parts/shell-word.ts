/** Quotes a word for a POSIX shell, if it needs quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A command line that a person can paste into a shell. Arguments are quoted, so the shell never interprets their content. */
export function commandLine(...words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}
