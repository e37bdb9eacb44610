import path from 'node:path'
import type { LifecycleHandler, SessionSpec } from '@cadre/core'
import { realPathOf } from '@cadre/disk'
import { instructionText } from './compose.ts'
import { instructionsFor } from './instructions/instructions-for.ts'
import type { KnowledgePaths } from './knowledge-paths.ts'
import { receivesInstructions } from './receives-instructions.ts'

const maxLength = 40_000

interface DeliveredInstructions {
  /** The real paths of files that the session has received. */
  readonly files: Set<string>
  readonly find: ReturnType<typeof instructionsFor>
}

/**
 * Adds instructions for a part of the workspace to the outcome of the first call that touches it. A session gets each file
 * once, and again after its context was summarised or it was resumed. Tracks which files each session has.
 */
export function createInstructionsHandler(placesOf: (workspace: string) => KnowledgePaths): LifecycleHandler {
  const sessions = new Map<string, DeliveredInstructions>()
  const givenTo = ({ id, workspace }: SessionSpec): DeliveredInstructions => {
    const given = sessions.get(id) ?? { files: new Set(), find: instructionsFor(placesOf(workspace)) }
    sessions.set(id, given)
    return given
  }
  return (moment, session) => {
    if (moment.kind === 'session.ended' || moment.kind === 'context.compacting') sessions.delete(session.id)
    if (moment.kind !== 'call.settled' || moment.outcome !== 'done') return undefined
    const { tool, input } = moment.call
    const paths = tool.paths?.(input) ?? []
    if (paths.length === 0 || !receivesInstructions(session.agent)) return undefined
    const { files, find } = givenTo(session)
    // A session that has read the file itself needs no copy.
    for (const written of paths) files.add(realPathOf(path.resolve(session.workspace, written)))
    const texts = paths.flatMap(find).flatMap((file) => {
      if (files.has(file.real)) return []
      files.add(file.real)
      return [instructionText(file, file.text.trim().slice(0, maxLength))]
    })
    if (texts.length === 0) return undefined
    return { context: `These instructions apply to files that this call used:\n\n${texts.join('\n\n')}` }
  }
}
