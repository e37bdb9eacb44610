import type { Subtree } from '@cadre/api'
import { costText, shortNumber } from './format.ts'

/** How much of its budget a subtree has used. At 100%, Cadre denies further requests. */
export function BudgetBars({ subtree: { budget, spent } }: { readonly subtree: Subtree }) {
  if (budget === undefined || spent === undefined) return null
  const bars = [
    ['tokens', spent.tokens, budget.tokens, shortNumber] as const,
    ['cost', spent.cost, budget.cost, costText] as const,
    ['calls', spent.calls, budget.calls, shortNumber] as const,
  ].filter(([, , most]) => most !== undefined)
  return (
    <div class="budgets">
      {bars.map(([name, used, most = 0, text]) => (
        <div class="budget" key={name}>
          <span>Budget: {name}</span>
          <meter
            min={0}
            max={Math.max(most, Number.EPSILON)}
            value={Math.min(used, most)}
            high={most * 0.8}
            optimum={0}
            aria-label={`Used ${name}`}
          />
          <span class="run-number">
            {text(used)} of {text(most)}
          </span>
        </div>
      ))}
    </div>
  )
}
