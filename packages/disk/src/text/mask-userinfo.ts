const scheme = '\\b([a-z][a-z0-9+.-]{0,20}://)'
const withUser = new RegExp(`${scheme}([^\\s/'"]+)@`, 'gi')
/** A password with a slash that is not encoded. Otherwise, a port would follow the colon. */
const withSlash = new RegExp(`${scheme}[^\\s/:'"@]*:(?!\\d+(?:[/\\s'"]|$))`, 'i')

/** Returns the text without the user names, passwords and tokens in the addresses that it contains. SSH user names are not secret. */
export function maskUserinfo(text: string): string {
  return text
    .replace(withUser, (found, start: string, userinfo: string) =>
      /^ssh:/i.test(start) && !userinfo.includes(':') ? found : `${start}***@`,
    )
    .replace(/[^\s'"]+/g, maskWord)
}

/** Searches for the last `@` once: a pattern would search again for each of many addresses in a long word. */
function maskWord(word: string): string {
  const at = word.lastIndexOf('@')
  const found = at < 0 ? null : withSlash.exec(word)
  if (found === null || found.index + found[0].length > at) return word
  return `${word.slice(0, found.index)}${found[1]}***${word.slice(at)}`
}
