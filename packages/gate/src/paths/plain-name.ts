/**
 * A path as the most forgiving file system would compare it: without case, without characters that some systems ignore
 * in names, without what Windows drops from the end of a name. Two spellings that are equal here may be one file somewhere.
 */
export function plainName(path: string): string {
  // Nearly every path is plain already, and this is asked for every call.
  if (/^(?:[a-z0-9_/-]|\.(?=[a-z0-9_-]))*$/.test(path)) return path
  return path
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, '')
    .toLowerCase()
    .replaceAll('\\', '/')
    .split('/')
    .map((name) => (name === '.' || name === '..' ? name : name.replace(/:.*$/, '').replace(/[. ]+$/, '')))
    .join('/')
}

/** Whether two names of one step of a path may be the same file; `plain` went through `plainName`. */
export function mayBe(plain: string | undefined, name: string): boolean {
  if (plain === undefined) return false
  return plain === name || (plain.includes('~') && isShortNameOf(plain, name))
}

/** `git~1` is what Windows calls `.git` where somebody wants eight letters, `settin~1.jso` what it calls `settings.json`. */
function isShortNameOf(short: string, name: string): boolean {
  const found = /^([^~]{1,6})~\d{1,3}(?:\.([^.]{1,3}))?$/.exec(short)
  if (found === null) return false
  const [, beginning = '', ending] = found
  const letters = name.replace(/^\.+/, '')
  const dot = letters.lastIndexOf('.')
  const stem = (dot === -1 ? letters : letters.slice(0, dot)).replace(/[. ]/g, '')
  if (ending !== undefined && !letters.slice(dot + 1).startsWith(ending)) return false
  return (
    stem.startsWith(beginning) &&
    (beginning.length === 6 || stem.length === beginning.length || stem.length > 8)
  )
}
