const maxLength = 72
const maxNames = 20

/** Combines notes into one commit message: the first is the subject, the others follow without duplicates. */
export function batchCommitMessage(notes: readonly string[]): string {
  const [first = 'Changes', ...rest] = [...new Set(notes.map(oneLine))]
  const body = rest.length === 0 ? '' : `\n\n${rest.map((line) => `- ${line}`).join('\n')}`
  const cut = first.length > maxLength ? `${first.slice(0, maxLength - 1)}…` : first
  const whole = cut === first ? '' : `\n\n${first}`
  return `${cut}${whole}${body}\n\nNotes: ${notes.length}\n`
}

/** The message for files that existed before the history began. */
export function initialCommitMessage(names: readonly string[]): string {
  return `Initial state of the home directory\n\n${list(names)}\n`
}

/** The message for changes without a note: by people, or by commands while no daemon was running. */
export function unrecordedChangesMessage(names: readonly string[]): string {
  const subject = `unrecorded changes: ${names.join(', ')}`
  if (names.length === 1 || subject.length <= maxLength) return `${oneLine(subject)}\n`
  return `unrecorded changes: ${names.length} files\n\n${list(names)}\n`
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map((name) => `- ${oneLine(name)}`)
  const more = names.length > maxNames ? [`- and ${names.length - maxNames} more`] : []
  return [...shown, ...more].join('\n')
}

function oneLine(text: string): string {
  return (
    text
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, 400) || 'Changes'
  )
}
