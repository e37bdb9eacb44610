/**
 * True if a program for `sed` only prints, skips and replaces. Anything else (`w`, `r`, `e`, flags of `s` that write or
 * run, labels, unknown commands) is not plain.
 */
export function isSafeSedScript(script: string): boolean {
  let at = 0
  let open = 0
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(script)?.[0] ?? ''
    at += found.length
    return found
  }
  while (at < script.length) {
    skip(/[\s;]*/y)
    if (at >= script.length) break
    if (!address()) return false
    skip(/\s*!?\s*/y)
    const command = script[at++]
    if (command === undefined) return false
    if (command === '{') open++
    else if (command === '}') open--
    else if (command === 's' || command === 'y') {
      const delimiter = skip(/[^\s\\]/y)
      if (delimiter === '' || !delimited(delimiter) || !delimited(delimiter)) return false
      const flags = skip(/[A-Za-z0-9]*/y)
      if (command === 'y' ? flags !== '' : !/^[gpiIM0-9]*$/.test(flags)) return false
    } else if (/[pdqQ=nNgGhHxPDlz]/.test(command)) {
      if (/[qQl]/.test(command)) skip(/\s*\d*/y)
    } else return false
    if (command !== '{' && !/^(?:\s*(?:[;}\n]|$)|\s*#)/.test(script.slice(at))) return false
  }
  return open === 0

  function address(): boolean {
    for (let count = 0; count < 2; count++) {
      const found = skip(/\s*(?:\d+(?:~\d+)?|\$|[+~]\d+)/y)
      if (found === '') {
        const start = skip(/\s*(?:\/|\\[^\n\\])/y)
        if (start !== '' && !delimited(start.at(-1) as string)) return false
        if (start !== '') skip(/[IM]*/y)
        if (start === '' && count === 1) return false
      }
      if (skip(/\s*,/y) === '') return true
    }
    return true
  }

  /**
   * Skips to the delimiter, which a backslash escapes. Whether brackets escape it too depends on the implementation, so
   * then the program is not plain.
   */
  function delimited(delimiter: string): boolean {
    const sign = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`
    const found = skip(new RegExp(`(?:\\\\[^]|[^\\\\\\n${sign}])*${sign}`, 'y'))
    const text = found
      .slice(0, -1)
      .replace(/\\./g, '')
      .replace(/\[\^?\]/g, '[')
    return found !== '' && !/\[[^\]]*$/.test(text)
  }
}
