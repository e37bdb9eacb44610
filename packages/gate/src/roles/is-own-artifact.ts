import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import type { PathResolver } from '../paths/path-resolver.ts'
import { artifactOf } from './artifact-of.ts'

export interface ArtifactPath {
  readonly places: Pick<PathResolver, 'locate' | 'judge'>
  readonly path: string
  readonly agent: AgentDefinition
  readonly workspace: string
}

/**
 * True if a path is the agent's artifact. False if the artifact, or a folder above it, is a link: writing it would change
 * another place.
 */
export function isOwnArtifact({ places, path: asked, agent, workspace }: ArtifactPath): boolean {
  const own = artifactLocation(places, agent, workspace)
  if (own === undefined || places.locate(asked, workspace) !== own) return false
  return places.judge({ path: asked, workspace, write: true, own: artifactOf(agent) }).kind === 'inside'
}

/** Returns the absolute path of the artifact, which has no links below the workspace. */
export function artifactLocation(
  places: Pick<PathResolver, 'locate'>,
  agent: AgentDefinition,
  workspace: string,
): string | undefined {
  const root = places.locate('.', workspace)
  return root === undefined ? undefined : path.join(root, ...artifactOf(agent).split('/'))
}
