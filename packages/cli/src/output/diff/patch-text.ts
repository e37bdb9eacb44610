import { cleanLine, cleanText } from '../clean-text.ts'
import { truncateStyled } from '../truncate-styled.ts'
import type { DiffOptions } from './diff-text.ts'

/** A git patch in the format of `diffText`: the name of each file, and its lines with numbers and colours. */
export function patchText(patch: string, { columns, style }: DiffOptions): string[] {
  const shown: string[] = []
  let before = 0
  let after = 0
  let isBody = false
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    if (line.startsWith('diff --git ')) {
      isBody = false
      if (shown.length > 0) shown.push('')
      shown.push(style.bold(cleanLine(/ b\/(.+)$/.exec(line)?.[1] ?? line)))
      continue
    }
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk !== null) {
      if (isBody) shown.push(style.dim('     ⋮'))
      isBody = true
      before = Number(hunk[1])
      after = Number(hunk[2])
      continue
    }
    if (!isBody) {
      if (/^(?:new file|deleted file|rename|Binary)/.test(line)) shown.push(style.dim(cleanLine(line)))
      continue
    }
    const text = cleanText(line.slice(1).replace(/\r$/, '␍'))
    if (line.startsWith('+')) shown.push(style.green(`${String(after++).padStart(5)} + ${text}`))
    else if (line.startsWith('-')) shown.push(style.red(`${String(before++).padStart(5)} - ${text}`))
    else if (line.startsWith(' ')) {
      before += 1
      shown.push(`${style.dim(String(after++).padStart(5))}   ${text}`)
    }
  }
  return shown.map((line) => truncateStyled(line, columns))
}
