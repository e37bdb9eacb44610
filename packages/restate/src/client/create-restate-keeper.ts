import { randomUUID } from 'node:crypto'
import { CadreError, isEndedStatus, type StartRequest, type StoredSession } from '@cadre/core'
import { createBlobs } from '../blobs.ts'
import type { LiveAnswer } from '../engine/live-events.ts'
import { Ingress, ifKnown } from '../ingress.ts'
import { type Packed, pack, unpack } from '../log/packed.ts'
import { type ReadKeys, readHead, readStored, type StoredTreeState } from '../log/read-archive.ts'
import { placeNames } from '../place-names.ts'
import {
  isCancel,
  needsRunningTree,
  type TreeMessage,
  type TreeOrder,
  type TreeState,
} from '../tree-order.ts'
import type { IndexEntry, LiveOrder } from '../worker/handlers.ts'
import { defaultWorkerLimits } from '../worker/worker-options.ts'
import { createDirectory } from './directory.ts'
import { OrderKeys } from './order-keys.ts'
import { PlaceHealth } from './place-health.ts'
import type { RestateKeeper, RestateKeeperOptions } from './restate-keeper.ts'
import { SeenRoots } from './seen-roots.ts'
import { TreeWatch } from './tree-watch.ts'

/** How long a worker waits for news of a tree, in milliseconds. */
const liveWait = 1_500

/** A mailbox that has more bytes is full. Its handler accepts three times as much, so that clients that send at the same time do not exceed it. */
const mailboxLimit = 8 << 20

const maxRootAttempts = 20
const rootPauseMs = 250

/** Creates the client that sends orders to the workers of a place. */
export function createRestateKeeper(options: RestateKeeperOptions): RestateKeeper {
  const { place, headers, pollInterval = 500, compareInterval = 60_000, signal } = options
  const names = placeNames(place)
  const ingress = new Ingress({
    url: options.ingress,
    ...(headers && { headers }),
    ...(signal && { signal }),
  })
  const blobs = createBlobs(ingress, names.blobs)
  const directory = createDirectory(ingress, names)
  const readKeys: ReadKeys = async (root, keys) =>
    (await ingress.call(names.trees, root, 'read', keys)) as (string | null)[]
  const seen = new SeenRoots()

  async function headOf(root: string): ReturnType<typeof readHead> {
    const found = await readHead(root, readKeys)
    seen.note(root, found.head)
    return found
  }

  const versionOf = async (root: string) => (await headOf(root)).head?.version ?? 0
  const health = new PlaceHealth({ ingress: options.ingress, place, ...(headers && { headers }) })
  const watch = new TreeWatch({
    ...{ directory, look, interval: pollInterval, compareInterval },
    answered: (error) => health.answered(error),
  })

  const indexOf = async (session: string) => (await ingress.call(names.index, session, 'get')) as IndexEntry

  async function rootOf(session: string): Promise<string | undefined> {
    const { head, state } = await headOf(session)
    if (head !== undefined || state !== null) return session
    return (await indexOf(session)).root ?? (await directory.rootOf(session)) ?? seen.rootOf(session)
  }

  async function look(root: string): Promise<{ version: number; state: TreeState }> {
    const { head, state } = await headOf(root)
    return { version: head?.version ?? 0, state: await stateIn(root, state) }
  }

  async function stateIn(root: string, state: string | null): Promise<TreeState> {
    if (state === null) {
      // It may be queued: `start` adds it to the index first.
      const { root: known } = await indexOf(root)
      return { kind: known === root ? 'running' : 'absent' }
    }
    const stored = JSON.parse(state) as StoredTreeState
    if (stored.kind !== 'rested') return stored
    const result = await unpack(stored.result, blobs)
    return result.kind === 'continued' ? { kind: 'running' } : { kind: 'rested', result }
  }

  const stateOf = async (root: string) => (await look(root)).state

  const orderKeys = new OrderKeys()
  const packOrder = (order: TreeOrder): Promise<Packed<TreeOrder>> =>
    pack(order, defaultWorkerLimits.blob, blobs)

  async function requireRoom(root: string): Promise<void> {
    const size = (await ifKnown(ingress.call(names.messages, root, 'size'), 0)) as number
    if (size > mailboxLimit)
      throw new CadreError(
        'backend',
        `session ${root} accepts no more messages, because ${Math.round(size / 1e6)} MB of them are waiting. Check that its worker is running, and try again when the session has received them.`,
      )
  }

  /** All orders of a tree go to its mailbox, which keeps them in order. `once`: identifies the order. */
  async function store(root: string, order: TreeOrder, once?: string): Promise<void> {
    const packed = await packOrder(order)
    if (!isCancel(order) && !needsRunningTree(order)) await requireRoom(root)
    await orderKeys.use([root, order], once, (key) => ingress.send(names.messages, root, 'send', packed, key))
  }

  async function sendOrder(root: string, order: TreeOrder, once?: string): Promise<void> {
    watch.watch(root, await versionOf(root))
    await store(root, order, once)
  }

  const send = (root: string, message: TreeMessage, once?: string): Promise<void> =>
    sendOrder(root, { kind: 'message', message }, once)

  /** Stores a message without waiting for a worker. If it takes effect before the version is read, its rest is not reported. */
  async function sendNow(root: string, message: TreeMessage): Promise<void> {
    const before = watch.hasListeners ? versionOf(root) : undefined
    before?.then(
      (version) => watch.watch(root, version),
      () => {},
    )
    await store(root, { kind: 'message', message })
  }

  /** A child may be unknown for a moment, to the directory and to this client. */
  async function requireRoot(session: string): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const root = await rootOf(session)
      if (root !== undefined) return root
      if (attempt === maxRootAttempts) throw new CadreError('not_found', `there is no session ${session}.`)
      await new Promise((resolve) => setTimeout(resolve, rootPauseMs))
    }
  }

  return {
    async start({ id, ...request }) {
      const { head } = await headOf(id)
      const isKnown = head?.sessions[id] !== undefined
      const known = isKnown ? await readStored(id, id, readKeys, blobs, head) : undefined
      if (known !== undefined && !isStartOf(known, request))
        throw new CadreError(
          'usage',
          `session ${id} already exists in ${place}, with other work. Another project may have started it. Choose another id.`,
        )
      if (known !== undefined) return send(id, { kind: 'resume', session: id })
      // Messages may be sent before a worker has begun.
      await ingress.call(names.index, id, 'put', id)
      const version = head?.version ?? 0
      watch.watch(id, version)
      // A failed start may be repeated.
      await store(id, { kind: 'start', request }, `start-${id}-${version}`)
    },
    async tell(session, work, attempt) {
      const root = await rootOf(session)
      if (root === undefined) return 'missing'
      const key = [session, work.message, ...(attempt === undefined ? [] : [attempt])].join('-')
      await send(root, { kind: 'tell', session, work }, `tell-${key}`)
      return 'queued'
    },
    async resume(session, changes, once) {
      const root = await requireRoot(session)
      if (changes === undefined) return send(root, { kind: 'resume', session }, once)
      await sendOrder(root, { kind: 'resume', session, options: changes }, once)
    },
    async cancel(session, reason, known) {
      const message = { kind: 'cancel', session, reason } as const
      if (known !== undefined) {
        await sendNow(known.root, message)
        return true
      }
      const root = await rootOf(session)
      if (root === undefined) return false
      const stored = root === session ? await readStored(root, session, readKeys, blobs) : undefined
      const isEnded = isEndedStatus(stored?.status)
      if (isEnded && (await stateOf(root)).kind === 'rested') return false
      await send(root, message)
      return true
    },
    interrupt: async (session) =>
      send(await requireRoot(session), { kind: 'interrupt', session }, randomUUID()),
    async answer({ session, name }, answer) {
      await send(await requireRoot(session), { kind: 'answer', session, name, answer })
    },
    async edit(session, edit) {
      // A caller repeats an edit if the answer was lost, and the session may have continued in between.
      const message = { kind: 'edit', session, ...edit } as const
      await send(await requireRoot(session), message, `edit-${session}-${edit.id}`)
    },
    async read(session) {
      const root = await rootOf(session)
      if (root === undefined) return undefined
      const isRunning = (await stateOf(root)).kind === 'running'
      const stored = await readStored(root, session, readKeys, blobs)
      return stored && { ...stored, isRunning }
    },
    async refresh(session) {
      const root = await requireRoot(session)
      const { version, state } = await look(root)
      if (state.kind !== 'running') return
      await send(root, { kind: 'archive' }, randomUUID())
      await watch.until(async () => (await versionOf(root)) > version)
    },
    async readTree(root) {
      const { head } = await headOf(root)
      const sessions = Object.entries(head?.sessions ?? {})
      return {
        // The archive never reuses the number of a chunk.
        sessions: new Map(sessions.map(([id, session]) => [id, JSON.stringify(session)])),
        read: (session) => readStored(root, session, readKeys, blobs, head),
      }
    },
    async live(root, after, until) {
      const order: LiveOrder = { wait: liveWait, ...(after !== undefined && { after }) }
      return (await ingress.call(names.trees, root, 'live', order, until)) as LiveAnswer
    },
    async sessions(root) {
      return Object.keys((await headOf(root)).head?.sessions ?? {})
    },
    rootOf,
    async state(session) {
      const root = await rootOf(session)
      return root === undefined ? { kind: 'absent' } : stateOf(root)
    },
    onRest: (listener) => watch.onRest(listener),
    onChange: (listener) => watch.onChange(listener),
    onOtherChange: (listener) => watch.onOtherChange(listener),
    onProblem: (listener) => health.onProblem(listener),
    watch: (root) => watch.watch(root),
    close() {
      watch.close()
      health.close()
    },
  }
}

/** Several homes may use the ids of a place. */
function isStartOf({ spec }: StoredSession, { agent, work }: StartRequest): boolean {
  const name = typeof agent === 'string' ? agent : agent.name
  const content = typeof work === 'string' ? work : work.content
  return spec.work.content === content && spec.agent.name.toLowerCase() === name.toLowerCase()
}
