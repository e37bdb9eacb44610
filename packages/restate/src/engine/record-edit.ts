import { isDeepStrictEqual } from 'node:util'
import { CadreError, type Entry } from '@cadre/core'
import type { TreeLog } from '../log/tree-log.ts'
import type { TreeMessage } from '../tree-order.ts'

/** Records what a person has changed in a session's record. Rejects if the session has recorded more since and the edit cannot be merged. */
export async function recordEdit(
  log: TreeLog,
  { session, entries, base, summary, systemPrompt }: Extract<TreeMessage, { kind: 'edit' }>,
): Promise<void> {
  const current = (await log.load(session))?.entries
  if (current === undefined) throw new CadreError('not_found', `there is no session ${session}.`)
  const isCurrent = (current.at(-1)?.seq ?? 0) === base
  // A later attempt may repeat the message.
  if (!isCurrent && isDeepStrictEqual(current.slice(0, entries.length), entries)) return
  const prompt = systemPrompt === undefined ? {} : { systemPrompt }
  log.add({
    t: 'edit',
    id: session,
    entries: isCurrent ? entries : appended(current, entries, base, session),
    summary,
    ...prompt,
  })
}

/** The session has recorded more since. */
function appended(
  current: readonly Entry[],
  edited: readonly Entry[],
  base: number,
  session: string,
): readonly Entry[] {
  const known = current.filter(({ seq }) => seq <= base)
  if (!isDeepStrictEqual(edited.slice(0, known.length), known)) {
    throw new CadreError(
      'usage',
      `session ${session} has continued since you edited its record, so the edit was not applied. Edit it again.`,
    )
  }
  let seq = current.at(-1)?.seq ?? 0
  const added = edited.slice(known.length).map((entry) => ({ ...entry, seq: ++seq }))
  return [...current, ...added]
}
