export interface PatchLine {
  readonly kind: 'file' | 'hunk' | 'added' | 'removed' | 'same' | 'note'
  readonly text: string
  readonly before?: number
  readonly after?: number
}

/** Reads a unified diff line by line. A line that is not part of a diff becomes a note, so that nothing is omitted. */
export function patchLines(patch: string): PatchLine[] {
  const lines = patch.split('\n')
  if (lines.at(-1) === '') lines.pop()
  let [before, after, oldLeft, newLeft] = [0, 0, 0, 0]
  return lines.map((text): PatchLine => {
    const mark = text[0] ?? ' '
    // Inside a hunk, the counts in its header determine what is content: a removed line "-- x" looks like a file header.
    if (oldLeft > 0 && (mark === ' ' || text === '')) {
      oldLeft -= 1
      newLeft -= 1
      return { kind: 'same', text: text.slice(1), before: before++, after: after++ }
    }
    if (oldLeft > 0 && mark === '-') {
      oldLeft -= 1
      return { kind: 'removed', text: text.slice(1), before: before++ }
    }
    if (newLeft > 0 && mark === '+') {
      newLeft -= 1
      return { kind: 'added', text: text.slice(1), after: after++ }
    }
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text)
    if (head !== null) {
      before = Number(head[1])
      oldLeft = Number(head[2] ?? 1)
      after = Number(head[3])
      newLeft = Number(head[4] ?? 1)
      return { kind: 'hunk', text }
    }
    return { kind: /^(?:---|\+\+\+|diff |Index: )/.test(text) ? 'file' : 'note', text }
  })
}

/** The number of lines that a patch adds and removes. */
export function countChanges(lines: readonly PatchLine[]): { added: number; removed: number } {
  let [added, removed] = [0, 0]
  for (const { kind } of lines) {
    if (kind === 'added') added += 1
    if (kind === 'removed') removed += 1
  }
  return { added, removed }
}

/** Whether a patch contains only file names. A created or deleted file counts as a change, even if it is empty. */
export function changesNothing(patch: string): boolean {
  const lines = patchLines(patch)
  return (
    lines.length > 0 &&
    lines.every(({ kind, text }) => kind === 'file' && !/^(?:---|\+\+\+) \/dev\/null\s*$/.test(text))
  )
}
