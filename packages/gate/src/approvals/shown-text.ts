/**
 * Writes agent text into a file in which a person decides. The text can contain anything, including fake decisions.
 * Different texts never look the same, nothing is shortened, and no line can be mistaken for another part of the file.
 */

/** Characters that every editor shows unchanged. Excludes invisible characters and those that change the text direction. */
const plain = /^(?:(?![\p{DI}\u2800])[\n\t\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}])+$/u

/**
 * Returns the text after a label: on the same line if it is one line, otherwise below it. Text with invisible characters is
 * written as JSON.
 */
export function shownText(label: string, text: string): string[] {
  if (!isPlain(text))
    return [`${label} (as a JSON string, to show hidden characters):`, `  ${visibleJson(text)}`]
  if (!text.includes('\n')) return [`${label}: ${text}`]
  return [`${label}:`, ...prefixWithBars(text)]
}

/** Prefixes each line with a bar. */
export function prefixWithBars(text: string): string[] {
  return text.split('\n').map((line) => (line === '' ? '  |' : `  | ${line}`))
}

export function isPlain(text: string): boolean {
  // Editors strip trailing spaces.
  return plain.test(text) && !/[ \t]$/m.test(text) && !(/^[ \t]/.test(text) && !text.includes('\n'))
}

/** True if an editor shows the whole text as it is, except for trailing spaces. */
export function isVisible(text: string): boolean {
  return text === '' || plain.test(text.replace(/\r\n/g, '\n'))
}

/** JSON in which every invisible character is escaped. */
export function visibleJson(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (character) => {
    if (plain.test(character)) return character
    return [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('')
  })
}

/** One line for a title or a field. Replaces invisible characters, and the backtick that would end a title. */
export function shownLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const line = [...text.replace(/\s+/g, ' ').trim()].map((character) =>
    character === '`' ? "'" : plain.test(character) ? character : '\ufffd',
  )
  return line.length > maxLength ? `${line.slice(0, maxLength).join('').trimEnd()} …` : line.join('')
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

/** Argument names also come from the model. */
export function displayName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : visibleJson(name)
}
