import { keyLineOf } from './key-line.ts'
import { isTextKey } from './known-keys.ts'
import type { Rescue } from './rescue.ts'
import type { Entry } from './unseen.ts'

/** What YAML reads without complaint and in another way than its author. */
export function hintsIn(
  { lines, firstLine }: { readonly lines: readonly string[]; readonly firstLine: number },
  entries: readonly Entry[],
): Rescue[] {
  return entries.flatMap(({ field: { line } }): Rescue[] => {
    const key = keyLineOf(lines[line - firstLine] ?? '')
    if (key === undefined) return []
    if (/^\s*\[?\s*[“”‘’]/.test(key.rest)) return [{ code: 'smart-quotes', line }]
    // `# a comment` has a space behind its sign, `#12` has none.
    const isCut = isTextKey(key.plain) && /^[^"'|>]*\s#[^\s#]/.test(key.rest)
    return isCut ? [{ code: 'value-cut', line }] : []
  })
}
