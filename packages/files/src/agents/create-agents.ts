import type { AgentDefinition, Agents } from '@cadre/core'
import { nameKey } from './agent-name.ts'
import { findAgentFiles, type Stamp, stampOf } from './find-agent-files.ts'
import { type AgentsRequest, combine, type LoadedAgents, readAgentFile } from './load-agents.ts'
import type { ReadAgent } from './read-definition.ts'

export interface AgentRegistry extends Agents {
  /** Everything that was read, with what is wrong with it. */
  loaded(): LoadedAgents
}

interface Snapshot {
  readonly loaded: LoadedAgents
  readonly byName: ReadonlyMap<string, AgentDefinition>
  readonly read: ReadonlyMap<string, { readonly stamp: Stamp; readonly agent: ReadAgent }>
  readonly looked: ReadonlyMap<string, Stamp>
  /** When it was made, in milliseconds since 1970. */
  readonly at: number
}

/** The clocks of file systems are coarse: two changes this close together can carry the same time. */
const coarseMs = 50

/**
 * The agents of a home, as they are on disk: a changed file counts from the next session on. Asking costs a look at each
 * file, once in a turn of the event loop however often it is asked; only changed files are read again.
 */
export function createAgents(request: AgentsRequest): AgentRegistry {
  let snapshot: Snapshot | undefined
  let isFresh = false

  const now = (): Snapshot => {
    if (snapshot !== undefined && (isFresh || isUnchanged(snapshot))) return hold(snapshot)
    snapshot = take(request, snapshot)
    return hold(snapshot)
  }
  const hold = (held: Snapshot): Snapshot => {
    if (!isFresh) {
      isFresh = true
      setImmediate(() => {
        isFresh = false
      }).unref()
    }
    return held
  }

  return {
    loaded: () => now().loaded,
    list: () => now().loaded.agents,
    get: (name) => now().byName.get(nameKey(name)),
  }
}

function take(request: AgentsRequest, before: Snapshot | undefined): Snapshot {
  const at = Date.now()
  const { files, looked, endless } = findAgentFiles(request)
  const parsed = files.map((file) => {
    const known = before?.read.get(file.path)
    const usable = known?.stamp === file.stamp && before !== undefined && !isRacy(file.stamp, before.at)
    return { file, read: usable ? known.agent : readAgentFile(file) }
  })
  const loaded = combine({ parsed, endless, builtIns: request.builtIns ?? [] })
  return {
    loaded,
    looked,
    at,
    byName: new Map(loaded.agents.map((agent) => [nameKey(agent.name), agent])),
    read: new Map(parsed.map(({ file, read }) => [file.path, { stamp: file.stamp, agent: read }])),
  }
}

function isUnchanged({ looked, at }: Snapshot): boolean {
  for (const [path, stamp] of looked) {
    if (isRacy(stamp, at) || stampOf(path) !== stamp) return false
  }
  return true
}

/** Whether something could have changed after it was looked at without its time showing it. */
function isRacy(stamp: Stamp, at: number): boolean {
  const changed = Number(stamp.split('-').at(-1))
  return at - changed < coarseMs
}
