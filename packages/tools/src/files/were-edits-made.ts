import { applyEdits, type Edit, matchLineEndings, placesOf } from './apply-edits.ts'

/** How many possible earlier texts are followed before the answer is "unknown". */
const maxCandidates = 64

/**
 * Determines whether these edits were already made. "Not yet" is possible if the edits apply to the text, "already" if they
 * lead to it from some earlier text. If only one is possible, that is the answer.
 */
export function wereEditsMade(text: string, edits: readonly Edit[]): 'done' | 'not_done' | 'unknown' {
  const notYet = applyEdits(text, edits, '').kind === 'edited'
  const already = candidatesOf(text, edits).some((past) => reproduces(past, edits, text))
  if (already === notYet) return 'unknown'
  return already ? 'done' : 'not_done'
}

function reproduces(past: string, edits: readonly Edit[], text: string): boolean {
  const result = applyEdits(past, edits, '')
  return result.kind === 'edited' && result.text === text
}

function candidatesOf(text: string, edits: readonly Edit[]): string[] {
  let pasts = [text]
  for (const edit of edits.toReversed()) {
    pasts = pasts.flatMap((past) => undo(past, edit)).slice(0, maxCandidates)
  }
  return pasts
}

function undo(text: string, edit: Edit): string[] {
  if (edit.old === '') return text === edit.new ? [''] : []
  const form = matchLineEndings(text, { old: edit.new, new: edit.old })
  const made = form.old
  const before = form.new
  // The original position of a deleted text is unknown; either end is as good as any other.
  if (made === '') return text.includes(before) ? [] : [before + text, text + before]
  if (edit.all === true) return [text.split(made).join(before)]
  return placesOf(text, made)
    .slice(0, maxCandidates)
    .map((place) => text.slice(0, place) + before + text.slice(place + made.length))
}
