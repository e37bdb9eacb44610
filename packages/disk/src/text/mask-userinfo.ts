/** Returns the text without the user names, passwords and tokens in the addresses that it contains. */
export function maskUserinfo(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/'"]{1,500}@/gi, '$1***@')
}
