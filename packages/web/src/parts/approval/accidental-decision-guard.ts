import type { Risk } from '@cadre/core'

/**
 * Protects against accidental decisions on items that the person has not seen.
 *
 * 1. Ignores decisions for 500 ms after an item appears or replaces another one, because it may have moved under the pointer. Ignores all
 *    decisions on items outside the window.
 * 2. A HIGH-risk approval needs a second step: a different key or a second click, which is also ignored for 500 ms.
 * 3. A rejection does not need a second step: the agent can ask again, but an effect cannot be undone.
 */
export interface AccidentalDecisionGuard {
  /** Call it whenever an item is shown. Has no effect if the item is already shown. */
  show(id: string): void
  /** Call it when the item has left the window. */
  hide(): void
  approve(id: string, risk: Risk | null): 'too-soon' | 'confirm' | 'go'
  /** The second step. */
  confirm(id: string): 'too-soon' | 'nothing' | 'go'
  reject(id: string): 'too-soon' | 'go'
  /** The item whose second step is pending. */
  readonly confirming: string | undefined
  /** Cancels the first step. */
  forget(): void
}

const guardDelayMs = 500

export function createAccidentalDecisionGuard(now: () => number): AccidentalDecisionGuard {
  let shown: string | undefined
  let since = 0
  let confirming: { readonly id: string; readonly at: number } | undefined
  const isEarly = (id: string) => id !== shown || now() - since < guardDelayMs
  return {
    show(id) {
      if (id === shown) return
      shown = id
      since = now()
      confirming = undefined
    },
    hide() {
      shown = undefined
      confirming = undefined
    },
    approve(id, risk) {
      if (isEarly(id)) return 'too-soon'
      if (risk !== 'HIGH') return 'go'
      confirming ??= { id, at: now() }
      return 'confirm'
    },
    confirm(id) {
      if (confirming?.id !== id || isEarly(id)) return 'nothing'
      if (now() - confirming.at < guardDelayMs) return 'too-soon'
      confirming = undefined
      return 'go'
    },
    reject(id) {
      return isEarly(id) ? 'too-soon' : 'go'
    },
    get confirming() {
      return confirming?.id
    },
    forget() {
      confirming = undefined
    },
  }
}
