import type { JsonObject } from '@cadre/core'
import type { Home } from '../home/open-home.ts'
import { appendLine } from '../lines/append-line.ts'

/**
 * Puts what came in into `inbox/<file>.jsonl`. Comes back when it is on disk: only then may a sender be told that it arrived.
 * `known` when a line with this id is there already: nothing is written then.
 */
export function appendInbox(
  home: Home,
  file: string,
  line: JsonObject & { readonly id: string },
): Promise<'new' | 'known'> {
  return appendLine(home, 'inbox', file, line)
}
