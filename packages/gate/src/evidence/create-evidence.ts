import { lstatSync, readFileSync, unlinkSync } from 'node:fs'
import {
  type JudgedCall,
  type LifecycleHandler,
  type Reviewer,
  type SessionSpec,
  sectionsOf,
} from '@cadre/core'
import { rememberOwnWrite } from '@cadre/home'
import type { PathResolver } from '../paths/path-resolver.ts'
import { artifactOf } from '../roles/artifact-of.ts'
import { artifactLocation, isOwnArtifact } from '../roles/is-own-artifact.ts'
import { createArtifactHashes } from './artifact-hashes.ts'

export interface EvidenceOptions {
  readonly places: PathResolver
  /**
   * A folder that agents cannot write. It records which session wrote which artifact, across restarts. Absent: only this
   * process remembers.
   */
  readonly folder?: string
}

export interface Evidence {
  readonly reviewer: Reviewer
  readonly onLifecycleEvent: LifecycleHandler
}

/**
 * Owns what each running session has written to its artifact. An artifact counts only as the session itself left it:
 *
 * 1. An artifact that exists when a session starts is from an earlier run. It is deleted, unless another running session
 *    wrote it.
 * 2. The evidence of a session is the text after its own call, taken only if the tool confirms that the file is as this
 *    call left it. Text that another session writes to the same file is never its evidence.
 * 3. A session without an artifact is judged by its report alone. An artifact never grants permissions.
 */
export function createEvidence({ places, folder }: EvidenceOptions): Evidence {
  const hashes = folder === undefined ? undefined : createArtifactHashes(folder)
  const written = new Map<string, { readonly place: string; readonly text: string }>()

  const onLifecycleEvent: LifecycleHandler = async (moment, session, signal) => {
    if (moment.kind === 'session.started') {
      if (moment.source === 'startup') forgetStale(session)
      else remember(session)
    } else if (moment.kind === 'call.settled' && moment.outcome === 'done')
      await take(moment.call, session, signal)
    else if (moment.kind === 'session.ended') {
      written.delete(session.id)
      hashes?.remove(session.id)
    }
    return undefined
  }

  const reviewer: Reviewer = (_, session) => {
    const required = session.agent.requiredSections ?? []
    const own = written.get(session.id)
    if (own === undefined || required.length === 0) return { kind: 'accept' }
    const missing = required.filter((heading) => isMissing(own.text, heading))
    if (missing.length === 0) return { kind: 'accept' }
    const artifact = artifactOf(session.agent)
    const reason = `The artifact ${artifact} lacks these sections: ${missing.join(', ')}. Write the complete artifact again, with a heading and content for each section. Then send the report again.`
    return { kind: 'return', reason, by: 'sections' }
  }

  return { reviewer, onLifecycleEvent }

  function forgetStale(session: SessionSpec): void {
    const place = placeOf(session)
    if (place === undefined || session.controls?.readOnly === true) return
    if ([...written.values()].some((other) => other.place === place)) return
    clearArtifact(place)
  }

  function remember(session: SessionSpec): void {
    const place = placeOf(session)
    const text = place === undefined ? undefined : readArtifact(place)
    if (place !== undefined && text !== undefined && hashes?.isOf(session.id, text) === true)
      written.set(session.id, { place, text })
  }

  async function take({ call, tool, input }: JudgedCall, session: SessionSpec, signal: AbortSignal) {
    if (tool.effect !== 'write' && tool.class !== 'edit') return
    const { agent, workspace } = session
    const place = placeOf(session)
    if (place === undefined) return
    const paths = tool.paths?.(input) ?? []
    if (!paths.some((path) => isOwnArtifact({ places, path, agent, workspace }))) return
    const text = readArtifact(place)
    const context = {
      session: session.id,
      agent: agent.name,
      call: call.id,
      key: `${session.id}/${call.id}`,
      workspace,
    }
    const state = await tool.check?.(input, context, signal)
    if (text === undefined || state !== 'done' || readArtifact(place) !== text) {
      written.delete(session.id)
      hashes?.remove(session.id)
      return
    }
    written.set(session.id, { place, text })
    hashes?.put(session.id, text)
  }

  /** Returns undefined for an agent without an artifact, or if the path is not allowed. */
  function placeOf({ agent, workspace }: SessionSpec): string | undefined {
    const { boundary, requiredSections = [] } = agent
    if (boundary?.writes === 'none' || (boundary?.writes === undefined && requiredSections.length === 0))
      return undefined
    const place = artifactLocation(places, agent, workspace)
    return place !== undefined && places.locate(artifactOf(agent), workspace) === place ? place : undefined
  }
}

function isMissing(text: string, heading: string): boolean {
  return [...sectionsOf(text, [heading]).values()].every((content) => content === '')
}

const maxBytes = 4 * 1_024 * 1_024

/** Returns the text of an artifact, or undefined if it is missing, not a regular file, or too large. */
function readArtifact(place: string): string | undefined {
  try {
    const stats = lstatSync(place)
    return stats.isFile() && stats.size <= maxBytes ? readFileSync(place, 'utf8') : undefined
  } catch {
    // Missing or unreadable, so no evidence.
    return undefined
  }
}

/** Deletes an artifact of an earlier run. If that fails, it still never counts as evidence. */
function clearArtifact(place: string): void {
  try {
    if (!lstatSync(place).isFile()) return
    unlinkSync(place)
    rememberOwnWrite(place, undefined)
  } catch {
    // It does not exist, which is fine.
  }
}
