const start = /\nmetadata:\n(?: {2}.*\n)*? {2}work: ?(.*)\n((?: {4}.*\n|\n)*)/

/**
 * Reads the work of a session from the beginning of its file. If the text ends within the work, returns the available part. Returns
 * `undefined` if the text ends before it, or is not in Cadre's format.
 */
export function readWork(head: string): string | undefined {
  const [, first = '', block = ''] = start.exec(head) ?? []
  if (/^[|>]/.test(first)) {
    const text = block.replaceAll(/^ {4}/gm, '').trim()
    return text === '' ? undefined : text
  }
  if (first.startsWith("'")) return first.slice(1).replace(/'\s*$/, '').replaceAll("''", "'")
  if (first.startsWith('"')) return unquote(first)
  return first === '' ? undefined : first
}

function unquote(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
