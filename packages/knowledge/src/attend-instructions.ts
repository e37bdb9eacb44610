import path from 'node:path'
import type { Attend } from '@cadre/core'
import { realPathOf } from '@cadre/disk'
import { instructionText } from './compose.ts'
import { instructionsFor } from './instructions/instructions-for.ts'
import type { KnowledgePlaces } from './places.ts'

const longest = 40_000

/**
 * Adds instructions for a part of the workspace to the outcome of the first call that touches it. A session gets each file once, and
 * again when the context with it was summarised or the session was resumed. Owns, per session, which files it has.
 */
export function attendInstructions(placesOf: (workspace: string) => KnowledgePlaces): Attend {
  const given = new Map<string, Set<string>>()
  return (moment, session) => {
    if (moment.kind === 'session.ended' || moment.kind === 'context.compacting') given.delete(session.id)
    if (moment.kind !== 'call.settled' || moment.outcome !== 'done') return undefined
    const { tool, input } = moment.call
    const paths = tool.paths?.(input) ?? []
    if (paths.length === 0) return undefined
    const { workspace } = session
    const places = placesOf(workspace)
    const known = given.get(session.id) ?? new Set<string>()
    given.set(session.id, known)
    // A session that has read the file itself needs no copy.
    for (const written of paths) known.add(realPathOf(path.resolve(workspace, written)))
    const files = paths.flatMap((written) => instructionsFor(written, places))
    const texts = files.flatMap((file) => {
      if (known.has(file.real)) return []
      known.add(file.real)
      return [instructionText(file, file.text.trim().slice(0, longest))]
    })
    if (texts.length === 0) return undefined
    return { context: `These instructions apply to files that this call used:\n\n${texts.join('\n\n')}` }
  }
}
