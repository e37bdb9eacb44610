const scheme = '\\b([a-z][a-z0-9+.-]{0,20}://)'
const withUser = new RegExp(`${scheme}([^\\s/'"]{1,500})@`, 'gi')
/** A password with a slash that is not encoded. Otherwise, a port would follow the colon. */
const withSlash = new RegExp(`${scheme}[^\\s/:'"@]{0,500}:(?!\\d+(?:[/\\s'"]|$))[^\\s'"]{0,500}@`, 'gi')

/** Returns the text without the user names, passwords and tokens in the addresses that it contains. Names of SSH users are no secrets. */
export function maskUserinfo(text: string): string {
  return text
    .replace(withUser, (found, start: string, userinfo: string) =>
      /^ssh:/i.test(start) && !userinfo.includes(':') ? found : `${start}***@`,
    )
    .replace(withSlash, '$1***@')
}
