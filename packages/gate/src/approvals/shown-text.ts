/**
 * How text of an agent is written into a file in which a person decides. It may hold anything, also what reads like a
 * decision. Two texts are never written alike, nothing of it is cut, and no line of it can be read as anything but it.
 */

/** What every editor shows as what it is. Signs that nobody sees, and those that turn the order around, are not. */
const plain = /^(?:(?![\p{DI}\u2800])[\n\t\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}])+$/u

/** The text behind a label, on its line when it is one line, else below. What does not show is written as JSON does. */
export function shownText(label: string, text: string): string[] {
  if (!isPlain(text))
    return [`${label} (as a JSON string, to show hidden characters):`, `  ${visibleJson(text)}`]
  if (!text.includes('\n')) return [`${label}: ${text}`]
  return [`${label}:`, ...barred(text)]
}

/** Several lines, each behind a bar. */
export function barred(text: string): string[] {
  return text.split('\n').map((line) => (line === '' ? '  |' : `  | ${line}`))
}

export function isPlain(text: string): boolean {
  // Editors cut spaces at the end of a line.
  return plain.test(text) && !/[ \t]$/m.test(text) && !(/^[ \t]/.test(text) && !text.includes('\n'))
}

/** Whether an editor shows all of a text as what it is, spaces at the ends of lines aside. */
export function isVisible(text: string): boolean {
  return text === '' || plain.test(text.replace(/\r\n/g, '\n'))
}

/** JSON in which every character that does not show is an escape. */
export function visibleJson(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (character) => {
    if (plain.test(character)) return character
    return [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('')
  })
}

/** One line for a title or a field: what does not show, and the backtick that ends a title, are replaced. */
export function shownLine(text: string, longest = Number.POSITIVE_INFINITY): string {
  const line = [...text.replace(/\s+/g, ' ').trim()].map((character) =>
    character === '`' ? "'" : plain.test(character) ? character : '\ufffd',
  )
  return line.length > longest ? `${line.slice(0, longest).join('').trimEnd()} …` : line.join('')
}

const labels: Readonly<Record<string, string>> = {
  terminal_command: 'Command',
  file_write: 'Path',
  slack_send: 'Message',
  in_doubt: 'Interrupted call',
}

export function labelOf(type: string): string {
  return Object.hasOwn(labels, type) ? (labels[type] ?? '') : 'Arguments'
}

/** An argument's name is the model's as well. */
export function shownName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : visibleJson(name)
}
