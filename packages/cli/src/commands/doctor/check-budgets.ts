import { messageOf } from '@cadre/core'
import type { Home, Policy } from '@cadre/home'
import { type BudgetView, budgetLine, describeBudgets, type Settings } from '@cadre/runtime'
import { type Check, fail, ok, warn } from './check.ts'

const name = 'budgets'

/** The daily budgets and the limits on running trees, and how much of them is used. */
export async function checkBudgets(
  home: Home,
  settings: Settings | undefined,
  policy: Policy,
): Promise<Check[]> {
  if (settings === undefined) return []
  try {
    return (await describeBudgets(home, settings.config, policy)).map((view) =>
      isUsedUp(view)
        ? warn(
            name,
            budgetLine(view),
            `Until tomorrow (UTC), sessions under this budget end as incomplete. To continue them today, raise ${view.name} in config.yaml, or in the policy that lowers it.`,
          )
        : ok(name, budgetLine(view)),
    )
  } catch (error) {
    return [fail(name, messageOf(error), 'Until then, requests that need a budget wait.')]
  }
}

/** Less than 1% is left: hardly any request fits. */
function isUsedUp({ tokens, cost }: BudgetView): boolean {
  return [tokens, cost].some((part) => part !== undefined && part.spent > 0.99 * part.limit)
}
