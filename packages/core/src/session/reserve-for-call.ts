import { hasCostLimit, hasRequestLimit, reserveRequest } from '../budget/reserve-request.ts'
import type { EventDraft } from '../ports/entry.ts'
import type { ReserveTokens } from '../ports/tool.ts'
import { record, type Session } from './session.ts'
import { untilStopped } from './until-stopped.ts'

/**
 * Reserves tokens for the paid requests of one call, from the budgets of its session. Returns `undefined` if no budget limits requests. The
 * reservation is on disk before the request is sent, so that a request without an answer counts in full after a crash.
 */
export function reserveForCall(session: Session, call: string): ReserveTokens | undefined {
  if (!hasRequestLimit(session)) return undefined
  let count = 0
  return async ({ input, model, price }) => {
    if (hasCostLimit(session) && price === undefined)
      return {
        kind: 'refused',
        reason: `the price of ${model} is unknown, so Cadre cannot enforce a money budget. Set models["${model}"].price in config.yaml, in dollars per million tokens, or remove the budget`,
      }
    const reserved = await reserveRequest(session, { input, output: 0, ...(price && { price }) })
    if (reserved.kind === 'stopped') return { kind: 'refused', reason: 'the session was stopped' }
    if (reserved.kind === 'refused') return reserved
    const { reservation, id, settled } = reserved
    const name = `tokens/${call}/${count++}`
    const note = (event: Omit<EventDraft, 'role'>) =>
      record(session, name, () => [{ role: 'event', call, ...event } as EventDraft], { durable: true })
    try {
      await note({
        type: 'tokens.reserved',
        input,
        ...(id !== undefined && { reservation: id }),
        ...(price && { cost: reservation.max.nanos / 1e9 }),
      })
    } catch (error) {
      reservation.settle({ input: 0, output: 0 })
      throw error
    }
    return {
      kind: 'reserved',
      async settle(usage) {
        reservation.settle(usage)
        if (usage !== undefined) await note({ type: 'tokens.settled', usage: { ...usage } })
        await untilStopped(settled(), session.node.question, undefined)
      },
    }
  }
}
