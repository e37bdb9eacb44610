import type { AgentDefinition } from '@cadre/core'
import { artifactOf } from '@cadre/gate'
import type { BoundaryView } from './agent-view.ts'
import type { KeyPlaces } from './key-places.ts'

/** How far the tools of an agent reach, and where its file says so. */
export function describeBoundary(agent: AgentDefinition, places: KeyPlaces): BoundaryView {
  const { writes, commands } = agent.boundary ?? {}
  const from = (key: string) => places.within(['metadata', key.replaceAll('-', '')], key)
  const placed = <T extends string>(value: T | undefined, key: string) =>
    value === undefined
      ? ({ value: 'free', from: 'default' } as const)
      : ({ value, from: from(key) } as const)
  return {
    writes: placed(writes, 'cadre-writes'),
    commands: placed(commands, 'cadre-commands'),
    ...(writes === 'artifact' && { artifact: artifactOf(agent) }),
  }
}
