import type { JsonObject } from '@cadre/core'
import type { Home } from '../home/home.ts'
import { appendLine } from '../lines/append-line.ts'

/**
 * Appends an incoming message to `inbox/<file>.jsonl`. Resolves when it is on disk; only then may the message be acknowledged. Returns
 * `known`, and writes nothing, if a line with this id exists.
 */
export function appendInbox(
  home: Home,
  file: string,
  line: JsonObject & { readonly id: string },
): Promise<'new' | 'known'> {
  return appendLine(home, 'inbox', file, line)
}
