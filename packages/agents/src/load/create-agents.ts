import { type AgentDefinition, type Agents, nameKey } from '@cadre/core'
import { isSameStamp as isSame } from '@cadre/disk'
import { combineAgents, type LoadedAgents } from './combine-agents.ts'
import { type FoundFile, type FoundFiles, findAgentFiles } from './find-agent-files.ts'
import { type AgentsRequest, builtInsOf, editorSettingsOf } from './load-agents.ts'
import { type ReadFile, readAgentFile } from './read-agent-file.ts'

export interface AgentRegistry extends Agents {
  /** Everything that was read, with its problems. */
  loaded(): LoadedAgents
}

interface Snapshot {
  readonly loaded: LoadedAgents
  readonly byName: ReadonlyMap<string, AgentDefinition>
  readonly found: FoundFiles
  readonly builtIns: readonly AgentDefinition[]
  readonly read: ReadonlyMap<string, Known>
  /** The agents that the editor passed, which do not change. */
  readonly ofEditor: readonly Known[]
  /** When the snapshot was taken, in milliseconds since 1970. */
  readonly at: number
}

interface Known {
  readonly file: FoundFile
  readonly read: ReadFile
}

/**
 * The agents of a home, as on disk: a changed file applies from the next session. Each request checks each file, at most
 * once per turn of the event loop; only changed files and folders are read again.
 */
export function createAgents(request: AgentsRequest): AgentRegistry {
  let snapshot: Snapshot | undefined
  let isFresh = false

  const now = (): Snapshot => {
    if (snapshot === undefined || !isFresh) {
      snapshot = loadSnapshot(request, snapshot)
      isFresh = true
      setImmediate(() => {
        isFresh = false
      }).unref()
    }
    return snapshot
  }

  return {
    loaded: () => now().loaded,
    list: () => now().loaded.agents,
    get: (name) => now().byName.get(nameKey(name)),
  }
}

/** Returns the current state on disk; the same object as before if nothing changed. */
function loadSnapshot(request: AgentsRequest, before: Snapshot | undefined): Snapshot {
  const at = Date.now()
  const found = findAgentFiles(request, before && { folders: before.found.folders, at: before.at })
  const builtIns = builtInsOf(request)
  const known = found.files.map((file): Known => {
    const earlier = before?.read.get(file.path)
    const isUsable = earlier !== undefined && isUnchanged(earlier.file, file, before?.at ?? 0)
    return isUsable ? earlier : { file, read: readAgentFile(file) }
  })
  const parsed = [...known, ...(before?.ofEditor ?? editorSettingsOf(request))]
  if (before !== undefined && isSnapshotCurrent(before, found, parsed, builtIns))
    return { ...before, found, at }
  const { endless, unreadable, outside } = found
  const ofEditor = parsed.slice(known.length)
  const loaded = combineAgents({ parsed, endless, unreadable, outside, builtIns })
  return {
    loaded,
    found,
    builtIns,
    ofEditor,
    at,
    byName: new Map(loaded.agents.map((agent) => [nameKey(agent.name), agent])),
    read: new Map(parsed.map((known) => [known.file.path, known])),
  }
}

function isUnchanged(known: FoundFile, file: FoundFile, lookedAt: number): boolean {
  return (
    known.place.level === file.place.level &&
    known.real === file.real &&
    isSame(known.stamp, lookedAt, file.stamp)
  )
}

function isSnapshotCurrent(
  before: Snapshot,
  { endless, unreadable, outside }: FoundFiles,
  parsed: readonly Known[],
  builtIns: readonly AgentDefinition[],
): boolean {
  return (
    parsed.length === before.read.size &&
    parsed.every((known) => before.read.get(known.file.path) === known) &&
    haveSameItems(endless, before.found.endless) &&
    haveSameItems(unreadable, before.found.unreadable) &&
    haveSameItems(outside, before.found.outside) &&
    haveSameItems(builtIns, before.builtIns)
  )
}

function haveSameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index])
}
