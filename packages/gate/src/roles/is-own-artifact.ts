import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import type { Places } from '../paths/places.ts'
import { artifactOf } from './artifact-of.ts'

export interface ArtifactQuestion {
  readonly places: Pick<Places, 'locate' | 'judge'>
  readonly path: string
  readonly agent: AgentDefinition
  readonly workspace: string
}

/**
 * Whether a path really is the agent's artifact. Where the artifact itself, or a folder above it, is a link to somewhere
 * else, nothing is: writing it would change that other place.
 */
export function isOwnArtifact({ places, path: asked, agent, workspace }: ArtifactQuestion): boolean {
  const own = artifactPlace(places, agent, workspace)
  if (own === undefined || places.locate(asked, workspace) !== own) return false
  return places.judge({ path: asked, workspace, write: true, own: artifactOf(agent) }).kind === 'inside'
}

/** Where the artifact has to be: absolute, with no link on the way to it but those of the workspace. */
export function artifactPlace(
  places: Pick<Places, 'locate'>,
  agent: AgentDefinition,
  workspace: string,
): string | undefined {
  const root = places.locate('.', workspace)
  return root === undefined ? undefined : path.join(root, ...artifactOf(agent).split('/'))
}
