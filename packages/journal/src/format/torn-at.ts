const opening = '  - seq: '

/**
 * Where the part of the text ends that was written whole. What follows is an entry of cadre's that was cut: it has a
 * number and not yet the end mark with that number, or is so short that it has no number yet.
 */
export function tornAt(text: string, messages: number, writtenUpTo?: number): number {
  const start = Math.max(messages, text.lastIndexOf('\n  - ') + 1)
  const last = text.slice(start)
  if (last === '') return text.length
  const number = /^ {2}- seq: (\d+)\n/.exec(last)?.[1]
  if (number === undefined) {
    return opening.startsWith(last) || /^ {2}- seq: \d*$/.test(last) ? start : text.length
  }
  const mark = `\n    # end ${number}`
  const end = last.indexOf(`${mark}\n`)
  if (end >= 0) {
    const rest = last.slice(end + mark.length + 1)
    return rest !== '' && opening.startsWith(rest) ? text.length - rest.length : text.length
  }
  if (last.endsWith(mark)) return text.length
  return writtenUpTo !== undefined && Number(number) > writtenUpTo ? text.length : start
}
