/** Embeds text of models, files and tools in Markdown so that it stays text. */

/** One line as plain text. */
export function escapeMarkdown(text: string, maxLength = 500): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const shown = line.length > maxLength ? `${line.slice(0, maxLength).trimEnd()} …` : line
  return shown.replace(/[\\`*_{}[\]()#+\-.!~<>|&$]/g, '\\$&')
}

/** One line as code. */
export function codeSpan(text: string, maxLength = 200): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const shown = line.length > maxLength ? `${line.slice(0, maxLength).trimEnd()} …` : line
  return shown === '' ? '' : backticked(shown)
}

/** Lines as code that wraps at any width. A code fence does not wrap, so text beyond the edge of the chat would be hidden. */
export function codeLines(lines: readonly string[]): string {
  return lines.map((line) => backticked(keepSpaces(line) || '\u00a0')).join('  \n')
}

/** Markdown collapses spaces. The last one stays a space, so that the line can wrap there. */
function keepSpaces(line: string): string {
  return line
    .replace(/\r$/, '')
    .replaceAll('\t', '    ')
    .replace(/^ +| +(?= )/g, ({ length }) => '\u00a0'.repeat(length))
}

function backticked(text: string): string {
  const fence = '`'.repeat(maxRunLength(text) + 1)
  // Backticks at an end would become part of the delimiter.
  const gap = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${gap}${text}${gap}${fence}`
}

/** Lines in a fence that they cannot close. */
export function codeFence(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, maxRunLength(text) + 1))
  return `${fence}${language}\n${text}\n${fence}`
}

/** A notice for the person, separate from the agents' text. */
export function noticeText(message: string): string {
  const lines = message.split('\n').map((line) => escapeMarkdown(line, 2000))
  return `> ⚠️ ${lines.join('  \n> ')}`
}

/** The fence that a text has left open, on its own line; empty if there is none. */
export function closingFence(text: string): string {
  let open = ''
  for (const line of text.split('\n')) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined) continue
    if (open === '') open = fence
    else if (fence.startsWith(open) && line.trim() === fence) open = ''
  }
  return open === '' ? '' : `\n${open}`
}

function maxRunLength(text: string): number {
  let maxLength = 0
  for (const [run] of text.matchAll(/`+/g)) maxLength = Math.max(maxLength, run.length)
  return maxLength
}
