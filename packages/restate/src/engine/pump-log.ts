import type { internal, ObjectContext, RestatePromise, Serde } from '@restatedev/restate-sdk'
import type { Sdk } from '../load-sdk.ts'
import type { Batch } from '../log/batch.ts'
import type { PackedClose, PackedItem } from '../log/packed-item.ts'
import type { TreeLog } from '../log/tree-log.ts'
import type { BoxedOrder } from '../tree-order.ts'

export interface PumpOptions {
  readonly sdk: Sdk
  readonly log: TreeLog
  /** Carries out the commands that an item requires. Called for every item in order, in a replay too. */
  readonly command: (item: PackedItem) => Promise<void>
  /** Returns the promise of the messages from number `n` on. */
  readonly listen: (n: number) => RestatePromise<readonly BoxedOrder[]>
  readonly messages: (orders: readonly BoxedOrder[]) => void
  /** The invocation was cancelled through the server. */
  readonly cancelled: () => void
}

type Turn =
  | { readonly kind: 'batch'; readonly batch: Pick<Batch, 'bytes'> }
  | { readonly kind: 'messages'; readonly orders: readonly BoxedOrder[] }
  | { readonly kind: 'cancel' }

/** The log parses a batch only if it did not write it. */
const batchSerde: Serde<Pick<Batch, 'bytes'>> = {
  contentType: 'application/json',
  serialize: ({ bytes }) => bytes,
  deserialize: (bytes) => ({ bytes }),
}

/**
 * Writes a log to the journal of an invocation, and returns its last item. The journal is a sequence of runs, each with one batch, and the
 * commands that a batch announces follow it. A replay reads the batches and repeats the commands, and nothing else decides the order of
 * commands, so the code of the loop may change while trees run. The SDK allows one wait at a time.
 */
export async function pumpLog(ctx: ObjectContext, options: PumpOptions): Promise<PackedClose> {
  const { sdk, log } = options
  const write = (): RestatePromise<Turn> =>
    ctx
      .run('log', () => log.take(), { serde: batchSerde })
      .map((batch): Turn => ({ kind: 'batch', batch: batch as Batch }))
  const cancellation = (ctx as unknown as internal.ContextInternal).cancellation()
  const open = new Map<string, RestatePromise<Turn>>([
    ['log', write()],
    ['cancel', cancellation.map((): Turn => ({ kind: 'cancel' }))],
  ])
  for (;;) {
    const turn = await sdk.RestatePromise.race([...open.values()])
    if (turn.kind === 'cancel') {
      open.delete('cancel')
      options.cancelled()
      continue
    }
    if (turn.kind === 'messages') {
      open.delete('messages')
      options.messages(turn.orders)
      continue
    }
    for (const item of log.keep(turn.batch)) {
      if (item.t === 'close') return item
      if (item.t === 'listen') {
        const next = options.listen(item.n)
        open.set(
          'messages',
          next.map((orders): Turn => ({ kind: 'messages', orders: orders as readonly BoxedOrder[] })),
        )
      } else await options.command(item)
    }
    open.set('log', write())
  }
}
