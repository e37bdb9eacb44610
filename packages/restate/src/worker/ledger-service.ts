import { applyToDay, applyToSlots, emptyDay, emptySlots, type LedgerDay, type LedgerSlots } from '@cadre/core'
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk'
import type { Sdk } from '../load-sdk.ts'
import type { PlaceNames } from '../place-names.ts'
import type { LedgerHandlers } from './handlers.ts'
import { retryPolicy } from './retry-policy.ts'

const options = { journalRetention: 0, idempotencyRetention: 0, retryPolicy } as const

/**
 * The durable object that counts what trees on all machines share. The server carries out one order at a time for each key, and the whole
 * state is one value, so an order has all of its effect or none.
 */
export function ledgerService(sdk: Sdk, names: PlaceNames) {
  const { exclusive, shared } = sdk.handlers.object
  return sdk.object({
    name: names.ledger,
    handlers: {
      change: exclusive(options, async (ctx: ObjectContext, order) => {
        if (ctx.key === 'trees') {
          const before = await ctx.get<LedgerSlots>('state')
          // Slots of all machines are compared with one clock, which the journal stores.
          const now = await ctx.date.now()
          const { state, answer } = applyToSlots(before ?? emptySlots, order, now)
          ctx.set('state', state)
          return answer
        }
        const before = (await ctx.get<LedgerDay>('state')) ?? emptyDay
        const { state, answer } = applyToDay(before, order)
        if (state !== before) ctx.set('state', state)
        return answer
      }),
      read: shared(options, (ctx: ObjectSharedContext) => ctx.get<LedgerDay | LedgerSlots>('state')),
    } satisfies LedgerHandlers,
  })
}
