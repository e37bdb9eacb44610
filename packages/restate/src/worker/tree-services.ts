import type { ObjectContext, ObjectSharedContext, Serde, ServiceDefinition } from '@restatedev/restate-sdk'
import type { LiveAnswer } from '../engine/live-events.ts'
import type { RestateEngine } from '../engine/restate-engine.ts'
import type { Sdk } from '../load-sdk.ts'
import type { Packed } from '../log/packed.ts'
import type { PlaceNames } from '../place-names.ts'
import type { TreeOrder } from '../tree-order.ts'
import { directoryService } from './directory-service.ts'
import type { BlobHandlers, IndexHandlers, LiveOrder, TreeHandlers } from './handlers.ts'
import { ledgerService } from './ledger-service.ts'
import { messageService } from './message-service.ts'
import { retryPolicy } from './retry-policy.ts'

/** With eager state, the server refuses to invoke an object whose state exceeds 32 MiB. */
const small = { journalRetention: 0, enableLazyState: true, retryPolicy } as const

/** By default, the server keeps the result of every call through the ingress for a day, including whole chunks and blobs. */
const unkept = { ...small, idempotencyRetention: 0 } as const

/** The server suspends an invocation that is silent for this long, which would cost the tree a life. Models and tools may take hours. */
const longest = { days: 365 }

const text: Serde<string> = {
  contentType: 'application/json',
  serialize: (json) => new TextEncoder().encode(json),
  deserialize: (bytes) => new TextDecoder().decode(bytes),
}

/** The virtual objects of a place. `engineOf` returns the engine that runs the tree with this key here, if any. */
export function treeServices(
  sdk: Sdk,
  names: PlaceNames,
  engineOf: (key: string) => RestateEngine | undefined,
): ServiceDefinition<string, unknown>[] {
  const { exclusive, shared } = sdk.handlers.object
  const trees = sdk.object({
    name: names.trees,
    handlers: {
      run: exclusive(
        { ...small, inactivityTimeout: longest, abortTimeout: longest, explicitCancellation: true },
        async (ctx: ObjectContext, order: Packed<TreeOrder>): Promise<void> => {
          const engine = engineOf(ctx.key)
          if (engine === undefined)
            throw new sdk.RetryableError('this worker does not run this tree now', { retryAfter: 20 })
          await engine.invoke(ctx, order)
        },
      ),
      read: shared(unkept, (ctx: ObjectSharedContext, keys: readonly string[]) =>
        sdk.RestatePromise.all(keys.map((key) => ctx.get(key, text) as never)),
      ),
      live: shared(
        unkept,
        async (ctx: ObjectSharedContext, { after, wait }: LiveOrder): Promise<LiveAnswer> => {
          const engine = engineOf(ctx.key)
          return engine === undefined
            ? { kind: 'away' }
            : engine.liveEvents.read(ctx.key.slice(engine.scope.length), after, wait)
        },
      ),
    } satisfies TreeHandlers,
  })
  const index = sdk.object({
    name: names.index,
    handlers: {
      put: exclusive(small, async (ctx: ObjectContext, root: string): Promise<void> => {
        ctx.set('root', root)
      }),
      charge: exclusive(small, async (ctx: ObjectContext, session: string): Promise<void> => {
        const charged = (await ctx.get<string[]>('charged')) ?? []
        if (!charged.includes(session)) ctx.set('charged', [...charged, session])
      }),
      get: shared(unkept, async (ctx: ObjectSharedContext) => ({
        root: await ctx.get<string>('root'),
        charged: (await ctx.get<string[]>('charged')) ?? [],
      })),
    } satisfies IndexHandlers,
  })
  const blobs = sdk.object({
    name: names.blobs,
    handlers: {
      put: exclusive(unkept, async (ctx: ObjectContext, part: string): Promise<void> => {
        ctx.set('text', part)
      }),
      get: shared(unkept, (ctx: ObjectSharedContext) => ctx.get<string>('text')),
    } satisfies BlobHandlers,
  })
  const services = [
    trees,
    messageService(sdk, names),
    index,
    blobs,
    directoryService(sdk, names),
    ledgerService(sdk, names),
  ]
  return services as unknown as ServiceDefinition<string, unknown>[]
}
