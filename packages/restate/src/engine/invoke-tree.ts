import type { ObjectContext, RestatePromise, Serde } from '@restatedev/restate-sdk'
import type { Sdk } from '../load-sdk.ts'
import { Archive, type ArchiveHead, type ArchiveWriter, headKey } from '../log/archive.ts'
import type { Packed } from '../log/packed.ts'
import type { PackedItem } from '../log/packed-item.ts'
import { type StoredTreeState, stateKey } from '../log/read-archive.ts'
import { TreeLog, type TreeLogOptions } from '../log/tree-log.ts'
import { onAbort } from '../on-abort.ts'
import type { PlaceNames } from '../place-names.ts'
import { type BoxedOrder, needsRunningTree, type TreeOrder, type TreeResult } from '../tree-order.ts'
import { directoryKey } from '../worker/directory-service.ts'
import type { DirectoryHandlers, IndexHandlers, MessageHandlers, TreeHandlers } from '../worker/handlers.ts'
import { cancelIn } from './order-targets.ts'
import { pumpLog } from './pump-log.ts'

/** One attempt of an invocation, as its engine sees it. */
export interface TreeAttempt {
  readonly log: TreeLog
  readonly archive: Archive
  readonly order: Packed<TreeOrder>
  /** What the mailbox contained when the invocation began. Absent if it has an order of its own. */
  readonly box: readonly BoxedOrder[] | undefined
  readonly previous: Packed<TreeResult> | undefined
  /** Aborts when the invocation is cancelled through the server. */
  readonly cancelled: AbortSignal
  /** Called when a message has arrived. */
  onMessage: () => void
}

export interface AttemptHost {
  readonly sdk: Sdk
  readonly names: PlaceNames
  /** Stands before each key, so that several homes can share a place. */
  readonly scope: string
  readonly logOptions: Pick<TreeLogOptions, 'clock' | 'blobs' | 'read' | 'fresh' | 'blobLimit'>
  /** The log is live: the tree can run. */
  live(attempt: TreeAttempt): void
  /** Items are durable. */
  flushed(attempt: TreeAttempt, items: Parameters<NonNullable<TreeLogOptions['flushed']>>[0]): void
  /** The invocation has ended, or this life of it. */
  over(attempt: TreeAttempt, isClosed: boolean): void
}

const text: Serde<string> = {
  contentType: 'application/json',
  serialize: (json) => new TextEncoder().encode(json),
  deserialize: (bytes) => new TextDecoder().decode(bytes),
}

/**
 * Runs one attempt of an exclusive invocation. The journal of the invocation is the log of the tree. `givenUp` fires when the server has
 * begun another attempt.
 */
export async function invokeTree(
  ctx: ObjectContext,
  order: Packed<TreeOrder>,
  host: AttemptHost,
  givenUp: AbortSignal,
): Promise<void> {
  const { sdk, names, scope } = host
  const root = ctx.key.slice(scope.length)
  const toMailbox = ctx.objectSendClient<MessageHandlers>({ name: names.messages }, ctx.key)
  const box = isWake(order)
    ? await ctx.objectClient<MessageHandlers>({ name: names.messages }, ctx.key).begin()
    : undefined
  // Another invocation has taken everything.
  if (box?.length === 0) return
  const archive = new Archive(await ctx.get<ArchiveHead>(headKey))
  // A cancel that overtook the start of its tree waits for it in the mailbox.
  if (box?.every(({ order: [one] }) => startsNothing(one)) && archive.ids().length === 0) return
  const state = await ctx.get<StoredTreeState>(stateKey)
  ctx.set(stateKey, { kind: 'running' } satisfies StoredTreeState)
  const cancel = new AbortController()
  const log: TreeLog = new TreeLog({
    ...host.logOptions,
    root,
    archive,
    goLive: () => host.live(attempt),
    flushed: (items) => host.flushed(attempt, items),
  })
  const attempt: TreeAttempt = {
    log,
    archive,
    order,
    box,
    previous: state?.kind === 'rested' ? state.result : undefined,
    cancelled: cancel.signal,
    onMessage: () => {},
  }
  onAbort(ctx.request().attemptCompletedSignal, () => log.die())
  onAbort(givenUp, () => log.die())
  const arrived = (orders: readonly BoxedOrder[]) => {
    for (const one of orders) log.arrive(one)
  }
  if (box !== undefined) arrived(box)
  let listener: { id: string; promise: RestatePromise<Packed<TreeOrder>> } | undefined
  const pumping = pumpLog(ctx, {
    sdk,
    log,
    cancelled: () => cancel.abort(),
    listen(n) {
      if (box !== undefined) {
        const { id, promise } = ctx.awakeable<readonly BoxedOrder[]>()
        toMailbox.listenAfter({ taken: n - 1, awakeable: id })
        return promise
      }
      listener = ctx.awakeable<Packed<TreeOrder>>()
      toMailbox.listen(listener.id)
      return listener.promise.map((one) => [{ n, order: one as Packed<TreeOrder> }])
    },
    messages(orders) {
      arrived(orders)
      attempt.onMessage()
    },
    command: (item) => command(ctx, item, { archive, names, scope, root }),
  })
  const lost = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new sdk.RetryableError('this worker gave the tree up', { retryAfter: 1 }))
    // A closed engine gives the log up as soon as it is live.
    onAbort(log.lost, giveUp)
  })
  // Either may reject after the other has decided.
  lost.catch(() => {})
  pumping.catch(() => {})
  try {
    const { result, isListening, orders, taken } = await Promise.race([pumping, lost])
    const late: Packed<TreeOrder>[] = []
    // Older code queued an invocation for each order, and did so first.
    const again = (one: Packed<TreeOrder>) =>
      ctx.objectSendClient<TreeHandlers>({ name: names.trees }, ctx.key).run(one)
    if (taken === undefined) for (const one of orders) again(one)
    if (isListening && listener !== undefined) {
      const messages = ctx.objectClient<MessageHandlers>({ name: names.messages }, ctx.key)
      // A message was on its way.
      if (!(await messages.unlisten(listener.id))) late.push(await listener.promise)
    }
    if (taken === undefined) for (const one of late) again(one)
    else toMailbox.rest({ taken, orders: [...orders, ...late] })
    const added = await archive.write(stateWriter(ctx))
    ctx.set(stateKey, { kind: 'rested', result } satisfies StoredTreeState)
    note(ctx, { archive, names, scope, root }, added)
    host.over(attempt, true)
  } catch (error) {
    log.die()
    host.over(attempt, false)
    throw error
  }
}

function isWake([order]: Packed<TreeOrder>): boolean {
  return order?.kind === 'wake'
}

function startsNothing(order: TreeOrder | null): boolean {
  return needsRunningTree(order) || (order !== null && cancelIn(order) !== undefined)
}

interface NoteParts {
  readonly archive: Archive
  readonly names: PlaceNames
  readonly scope: string
  readonly root: string
}

async function command(ctx: ObjectContext, item: PackedItem, parts: NoteParts): Promise<void> {
  const { archive, names, scope, root } = parts
  const isNew = archive.apply(item)
  if (item.t === 'archive') note(ctx, parts, await archive.write(stateWriter(ctx)))
  if (item.t === 'notice') {
    const notice = item.message !== null && { notice: item.message }
    ctx.set(stateKey, { kind: 'running', ...notice } satisfies StoredTreeState)
    return
  }
  if (!isNew || item.t !== 'open') return
  const index = (id: string) => ctx.objectSendClient<IndexHandlers>({ name: names.index }, scope + id)
  if (archive.isOld && item.id !== root) index(item.id).put(root)
  if (item.charged !== undefined) index(item.charged).charge(item.id)
}

/** Tells the directory that the archive was written. One message for all new sessions: one for each would cost more than their turns. */
function note(
  ctx: ObjectContext,
  { archive, names, scope, root }: NoteParts,
  added: readonly string[],
): void {
  if (archive.isOld) return
  const directory = ctx.objectSendClient<DirectoryHandlers>({ name: names.directory }, scope + directoryKey)
  directory.note({ root, sessions: added.filter((id) => id !== root) })
}

function stateWriter(ctx: ObjectContext): ArchiveWriter {
  return {
    set: (key, json) => ctx.set(key, json, text),
    clear: (key) => ctx.clear(key),
    get: (key) => ctx.get(key, text),
  }
}
