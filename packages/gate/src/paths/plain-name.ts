/**
 * Normalizes a path as the most lenient file system would: ignores case, characters that some systems ignore in names, and
 * endings that Windows drops. Two spellings with the same result may be the same file on some system.
 */
export function plainName(path: string): string {
  // A fast path: most paths are already normalized, and this runs for every call.
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

/** True if two names of a path segment may be the same file. `plain` is a result of `plainName`. */
export function mayBeSameName(plain: string | undefined, name: string): boolean {
  if (plain === undefined) return false
  return plain === name || (plain.includes('~') && isShortNameOf(plain, name))
}

/** `git~1` is the Windows short name of `.git`, `settin~1.jso` that of `settings.json`. */
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
