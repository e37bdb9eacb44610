import { applyEdits, type Edit, inLineEndsOf, placesOf } from './apply-edits.ts'

/** How many possible pasts are followed before the answer is "unknown". */
const mostPasts = 64

/**
 * Were these edits made already? A text is compatible with "not yet" when the edits can be made on it, and with "already" when
 * there is a text from which the edits lead exactly here. Only one of the two gives an answer.
 */
export function editsMade(text: string, edits: readonly Edit[]): 'done' | 'not_done' | 'unknown' {
  const notYet = applyEdits(text, edits, '').kind === 'edited'
  const already = pastsOf(text, edits).some((past) => leadsTo(past, edits, text))
  if (already === notYet) return 'unknown'
  return already ? 'done' : 'not_done'
}

function leadsTo(past: string, edits: readonly Edit[], text: string): boolean {
  const result = applyEdits(past, edits, '')
  return result.kind === 'edited' && result.text === text
}

function pastsOf(text: string, edits: readonly Edit[]): string[] {
  let pasts = [text]
  for (const edit of edits.toReversed()) {
    pasts = pasts.flatMap((past) => undo(past, edit)).slice(0, mostPasts)
  }
  return pasts
}

function undo(text: string, edit: Edit): string[] {
  if (edit.old === '') return text === edit.new ? [''] : []
  const form = inLineEndsOf(text, { old: edit.new, new: edit.old })
  const made = form.old
  const before = form.new
  // Where a deleted text stood cannot be told any more; that it stood at either end is as good as any other place.
  if (made === '') return text.includes(before) ? [] : [before + text, text + before]
  if (edit.all === true) return [text.split(made).join(before)]
  return placesOf(text, made)
    .slice(0, mostPasts)
    .map((place) => text.slice(0, place) + before + text.slice(place + made.length))
}
