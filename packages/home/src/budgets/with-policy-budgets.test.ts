import { expect, test } from 'vitest'
import { type Policy, permissivePolicy } from '../policy/policy.ts'
import { withPolicyBudgets } from './with-policy-budgets.ts'

const policyWith = (changes: Partial<Policy>): Policy => ({ ...permissivePolicy, ...changes })

test('a policy without budgets changes nothing', () => {
  const config = { budgets: { day: { cost: 5 } } }
  expect(withPolicyBudgets(config, permissivePolicy)).toBe(config)
})

test('a policy lowers and adds budgets and limits, and never raises them', () => {
  const config = {
    budgets: {
      day: { cost: 50 },
      agents: { lead: { tokens: 10 }, tester: { cost: 1 } },
      teams: { review: { agents: ['reviewer'], cost: 5 } },
    },
    limits: { depth: 3, parallel: { place: 4, home: 10 } },
  }
  const policy = policyWith({
    budgets: {
      day: { cost: 20, tokens: 1000 },
      agents: { lead: { tokens: 20 }, writer: { cost: 2 } },
      teams: { review: { agents: ['tester'], cost: 7, tokens: 100 } },
    },
    limits: { parallel: { place: 8, home: 5 } },
  })
  expect(withPolicyBudgets(config, policy)).toEqual({
    budgets: {
      day: { cost: 20, tokens: 1000 },
      agents: { lead: { tokens: 10 }, tester: { cost: 1 }, writer: { cost: 2 } },
      teams: { review: { agents: ['reviewer', 'tester'], cost: 5, tokens: 100 } },
    },
    limits: { depth: 3, parallel: { place: 4, home: 5 } },
  })
})

test('a policy alone sets budgets and limits', () => {
  const limits = { parallel: { home: 2 } }
  const budgets = { day: { tokens: 1 } }
  expect(withPolicyBudgets({}, policyWith({ budgets, limits }))).toEqual({ budgets, limits })
})
