/**
 * Owns the mailbox of each tree: the orders that no invocation of the tree has taken, in the order in which the server stored them.
 *
 * 1. An order stays in the mailbox until the invocation that received it has it in its journal. `listenAfter` and `rest` say so. An
 *    invocation that is killed at the server takes no order with it.
 * 2. For every order that can start a tree, the server queues an invocation of the tree. If another invocation has taken the order in the
 *    meantime, it finds nothing and ends. So no order waits for an invocation that never comes, unless somebody kills that invocation: then
 *    the order waits for the next one.
 * 3. An invocation receives the whole mailbox before it does anything. So it knows of every cancel that was sent before it began.
 * 4. The mailbox is one value, and the server accepts at most 32 MiB for it. Clients send nothing to a mailbox that is full. If many send at
 *    once, `send` refuses what does not fit. A cancel is always stored.
 * 5. `listen` and `unlisten` serve invocations of older workers and orders of older clients, which take one order at a time.
 */
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk'
import type { Sdk } from '../load-sdk.ts'
import type { Packed } from '../log/packed.ts'
import type { PlaceNames } from '../place-names.ts'
import { type BoxedOrder, isCancel, needsRunningTree, type TreeOrder } from '../tree-order.ts'
import type { MessageHandlers, TreeHandlers } from './handlers.ts'
import { retryPolicy } from './retry-policy.ts'

const options = { journalRetention: 0, enableLazyState: true, retryPolicy } as const

/** The keys of the object's state. */
const boxKey = 'box'
/** The number of the last order. */
const lastKey = 'last'
/** The awakeable that receives the next orders. */
const awaitingKey = 'awaiting'
/** The same, of an invocation that takes one order at a time. */
const listenerKey = 'listener'

type Box = readonly BoxedOrder[]

/** The maximum size of a mailbox, in bytes. The rest of what the server accepts is for cancels. */
const boxLimit = 24 << 20

const boxOf = async (ctx: ObjectSharedContext): Promise<Box> => (await ctx.get<Box>(boxKey)) ?? []

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

function keep(ctx: ObjectContext, box: Box): void {
  if (box.length === 0) ctx.clear(boxKey)
  else ctx.set(boxKey, box)
}

export function messageService(sdk: Sdk, names: PlaceNames) {
  const { exclusive, shared } = sdk.handlers.object
  const wake = (ctx: ObjectContext) =>
    ctx.objectSendClient<TreeHandlers>({ name: names.trees }, ctx.key).run([{ kind: 'wake' }])
  const numbered = async (ctx: ObjectContext, orders: readonly Packed<TreeOrder>[]): Promise<Box> => {
    const last = (await ctx.get<number>(lastKey)) ?? 0
    ctx.set(lastKey, last + orders.length)
    return orders.map((order, index) => ({ n: last + 1 + index, order }))
  }
  return sdk.object({
    name: names.messages,
    handlers: {
      send: exclusive(options, async (ctx: ObjectContext, order: Packed<TreeOrder>): Promise<void> => {
        const listener = await ctx.get<string>(listenerKey)
        if (listener !== null) {
          ctx.clear(listenerKey)
          ctx.resolveAwakeable(listener, order)
          return
        }
        const before = await boxOf(ctx)
        if (!isCancel(order[0]) && sizeOf(before) + sizeOf(order) > boxLimit)
          throw new sdk.TerminalError(`the mailbox of ${ctx.key} is full`, { errorCode: 507 })
        const box = [...before, ...(await numbered(ctx, [order]))]
        keep(ctx, box)
        const awaiting = await ctx.get<string>(awaitingKey)
        if (awaiting !== null) {
          ctx.clear(awaitingKey)
          ctx.resolveAwakeable(awaiting, box)
        }
        if (!needsRunningTree(order[0])) wake(ctx)
      }),
      size: shared({ ...options, idempotencyRetention: 0 }, async (ctx: ObjectSharedContext) =>
        sizeOf(await boxOf(ctx)),
      ),
      begin: exclusive(options, async (ctx: ObjectContext): Promise<Box> => {
        // No other invocation of the tree runs, so nobody waits.
        ctx.clear(listenerKey)
        ctx.clear(awaitingKey)
        const box = await boxOf(ctx)
        if (!box.every(({ order }) => needsRunningTree(order[0]))) return box
        ctx.clear(boxKey)
        return []
      }),
      listenAfter: exclusive(options, async (ctx: ObjectContext, { taken, awakeable }): Promise<void> => {
        const box = (await boxOf(ctx)).filter(({ n }) => n > taken)
        keep(ctx, box)
        if (box.length === 0) ctx.set(awaitingKey, awakeable)
        else ctx.resolveAwakeable(awakeable, box)
      }),
      rest: exclusive(options, async (ctx: ObjectContext, { taken, orders }): Promise<void> => {
        const left = (await boxOf(ctx)).filter(({ n }) => n > taken).map(({ order }) => order)
        ctx.clear(awaitingKey)
        keep(ctx, await numbered(ctx, [...orders, ...left]))
        // The invocations for the others are queued.
        if (orders.length > 0) wake(ctx)
      }),
      listen: exclusive(options, async (ctx: ObjectContext, awakeable: string): Promise<void> => {
        const [next, ...left] = await boxOf(ctx)
        if (next === undefined) ctx.set(listenerKey, awakeable)
        else {
          keep(ctx, left)
          ctx.resolveAwakeable(awakeable, next.order)
        }
      }),
      unlisten: exclusive(options, async (ctx: ObjectContext, awakeable: string): Promise<boolean> => {
        if ((await ctx.get<string>(listenerKey)) !== awakeable) return false
        ctx.clear(listenerKey)
        return true
      }),
    } satisfies MessageHandlers,
  })
}
