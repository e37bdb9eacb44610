import type { Budget } from './agent.ts'
import type { Usage } from './report.ts'

/**
 * What a subtree of sessions may spend, and what it has spent. Money and tokens are reserved before a question is asked
 * and settled after its reply, so that parallel sessions cannot together overdraw what each of them saw as free.
 *
 * 1. spent + reserved never exceeds a ceiling by more than one reply's output.
 * 2. Every reservation is settled exactly once, also when the question failed.
 */
export class Purse {
  readonly #parent: Purse | undefined
  readonly #ceiling: Budget
  readonly #owner: string
  #tokens = 0
  #cost = 0
  #calls = 0
  #reservedTokens = 0
  #reservedCost = 0

  constructor(ceiling: Budget | undefined, owner: string, parent?: Purse) {
    this.#ceiling = ceiling ?? {}
    this.#owner = owner
    this.#parent = parent
  }

  /** The reason why this much may not be spent, here or in any purse above; nothing when it may, and then it is reserved. */
  reserve(tokens: number, cost: number | undefined): string | undefined {
    const refusal = this.#refusal(tokens, cost)
    if (refusal === undefined) this.#reserve(tokens, cost ?? 0, 1)
    return refusal
  }

  settle(reserved: { tokens: number; cost: number | undefined }, usage: Usage | undefined): void {
    this.#reserve(reserved.tokens, reserved.cost ?? 0, -1)
    if (usage !== undefined) this.spend(usage)
  }

  spend(usage: Usage): void {
    this.#tokens += usage.input + usage.output
    this.#cost += usage.cost ?? 0
    this.#parent?.spend(usage)
  }

  /** The reason why another call may not be made. */
  refuseCall(): string | undefined {
    const { calls } = this.#ceiling
    if (calls !== undefined && this.#calls >= calls)
      return `the budget of ${calls} calls of ${this.#owner} is used up`
    return this.#parent?.refuseCall()
  }

  countCalls(count: number): void {
    this.#calls += count
    this.#parent?.countCalls(count)
  }

  /** Tokens that may still be spent here and above. Infinity when no ceiling is set. */
  tokensLeft(): number {
    const own = (this.#ceiling.tokens ?? Number.POSITIVE_INFINITY) - this.#tokens - this.#reservedTokens
    return Math.min(own, this.#parent?.tokensLeft() ?? Number.POSITIVE_INFINITY)
  }

  limitsCost(): boolean {
    return this.#ceiling.cost !== undefined || (this.#parent?.limitsCost() ?? false)
  }

  #refusal(tokens: number, cost: number | undefined): string | undefined {
    const { tokens: most, cost: mostCost } = this.#ceiling
    if (most !== undefined && this.#tokens + this.#reservedTokens + tokens >= most) {
      return `the budget of ${most} tokens of ${this.#owner} does not allow another question: ${this.#tokens} spent, about ${tokens} needed`
    }
    if (mostCost !== undefined && this.#cost + this.#reservedCost + (cost ?? 0) >= mostCost) {
      return `the budget of $${mostCost} of ${this.#owner} does not allow another question: $${this.#cost.toFixed(4)} spent`
    }
    return this.#parent === undefined ? undefined : this.#parent.#refusal(tokens, cost)
  }

  #reserve(tokens: number, cost: number, sign: 1 | -1): void {
    this.#reservedTokens += sign * tokens
    this.#reservedCost += sign * cost
    if (this.#parent !== undefined) this.#parent.#reserve(tokens, cost, sign)
  }
}
