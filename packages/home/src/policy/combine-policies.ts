import type { Budget, Json } from '@cadre/core'
import { combineBudgets } from '../budgets/with-policy-budgets.ts'
import { approvalRulesOf } from './approval-rule.ts'
import { commandLimitKeys } from './command-limits.ts'
import { permitsMore } from './effects-of.ts'
import { defaultEffects, type PathPatterns, type Permission, type Policy } from './policy.ts'
import type { PolicyFile } from './read-policy-file.ts'

const limitKeys = [
  'depth',
  'concurrency',
  'sessions',
  'maxTurns',
  'timeoutSeconds',
  'identicalCalls',
] as const
const budgetKeys = ['tokens', 'cost', 'calls'] as const

/** Returns the strictest value of each key. `files`: the highest level first, which is named if several have the same value. */
export function combinePolicies(files: readonly PolicyFile[]): Policy {
  const decidedBy = new Map<string, string>()
  const said = (key: string) =>
    files.flatMap((file) => {
      const value = file.get(key)
      return value === undefined ? [] : [{ file, value }]
    })
  const decide = (key: string, file: PolicyFile) => decidedBy.set(key, file.placeOf(key))

  /** True unless a level disables it. */
  const isOpen = (key: string): boolean => {
    const off = said(key).find(({ value }) => value === false)
    if (off !== undefined) decide(key, off.file)
    return off === undefined
  }
  const strictest = (key: string): Permission | undefined => {
    let found: { file: PolicyFile; value: Permission } | undefined
    for (const { file, value } of said(key) as { file: PolicyFile; value: Permission }[])
      if (found === undefined || permitsMore(found.value, value)) found = { file, value }
    if (found !== undefined) decide(key, found.file)
    return found?.value
  }
  /** Concatenates the lists of all levels. Each pattern keeps its file. */
  const patterns = (key: string): readonly string[] => {
    const all: string[] = []
    for (const { file, value } of said(key))
      for (const pattern of value as readonly string[]) {
        decidedBy.set(`${key}.${all.length}`, file.placeOf(key))
        all.push(pattern)
      }
    return all
  }
  const bothPatterns = (key: string): PathPatterns => ({
    read: patterns(`${key}.read`),
    write: patterns(`${key}.write`),
  })
  const isOn = (key: string): boolean => strictest(key) === 'allow'
  /** The names that are in the list of every level that has a list. */
  const shared = (key: string): readonly string[] => {
    const [first, ...others] = said(key)
    if (first === undefined) return []
    decide(key, others.at(-1)?.file ?? first.file)
    return (first.value as readonly string[]).filter((name) =>
      others.every(({ value }) => (value as readonly string[]).includes(name)),
    )
  }
  const lowest = (key: string): number | undefined => {
    let lowest: { file: PolicyFile; value: Json } | undefined
    for (const one of said(key))
      if (lowest === undefined || (one.value as number) < (lowest.value as number)) lowest = one
    if (lowest === undefined) return undefined
    decide(key, lowest.file)
    return lowest.value as number
  }
  const lowestOf = <Key extends string>(prefix: string, keys: readonly Key[]) =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const value = lowest(`${prefix}.${key}`)
        return value === undefined ? [] : [[key, value]]
      }),
    ) as { readonly [key in Key]?: number }

  const allowedModels = said('models.allow').map(({ file, value }, index) => {
    decidedBy.set(`models.allow.${index}`, file.placeOf('models.allow'))
    return value as readonly string[]
  })
  /** If several levels define an alias, the highest level decides. */
  const modelAliases: Record<string, string> = {}
  for (const { file, value } of said('models.aliases'))
    for (const [name, model] of Object.entries(value as { readonly [name: string]: string })) {
      if (Object.keys(modelAliases).some((known) => known.toLowerCase() === name.toLowerCase())) continue
      modelAliases[name] = model
      decidedBy.set(`models.aliases.${name}`, file.placeOf('models.aliases'))
    }
  const approvals = said('approvals').flatMap(({ file, value }) => approvalRulesOf(value, file.placeOf))
  for (const [index, { place }] of approvals.entries()) decidedBy.set(`approvals.${index}`, place)
  const budget: Budget = lowestOf('limits.budget', budgetKeys)
  const limits = lowestOf('limits', limitKeys)
  const parallel = lowestOf('limits.parallel', ['place', 'home'])
  lowestOf('budgets.day', ['tokens', 'cost'])
  let budgets: Policy['budgets']
  for (const { file, value } of said('budgets')) {
    const before = budgets
    const combined = combineBudgets(before, value as Policy['budgets'])
    for (const group of ['agents', 'teams'] as const)
      for (const [name, budget] of Object.entries(combined[group] ?? {}))
        if (JSON.stringify(before?.[group]?.[name]) !== JSON.stringify(budget))
          decidedBy.set(`budgets.${group}.${name}`, file.placeOf(`budgets.${group}`))
    budgets = combined
  }
  return {
    customAgents: isOpen('customAgent.enabled'),
    subagents: isOpen('subagent.enabled'),
    cveRemediator: isOpen('cveRemediatorAgent.enabled'),
    beforehand: isOpen('agentMode.autoApproval.enabled'),
    mcp: isOpen('mcp.contributionPoint.enabled'),
    allowedModels,
    modelAliases,
    modelFallback: isOpen('models.fallback'),
    limits: {
      ...limits,
      ...(Object.keys(budget).length > 0 && { budget }),
      ...(Object.keys(parallel).length > 0 && { parallel }),
    },
    ...(budgets && { budgets }),
    effects: {
      read: strictest('effects.read') ?? defaultEffects.read,
      write: strictest('effects.write') ?? defaultEffects.write,
      execute: strictest('effects.execute') ?? defaultEffects.execute,
      outbound: strictest('effects.outbound') ?? defaultEffects.outbound,
    },
    paths: { deny: bothPatterns('paths.deny'), ask: bothPatterns('paths.ask') },
    approvals,
    network: isOn('network'),
    environment: shared('environment'),
    commands: lowestOf('commands', ['timeoutSeconds', 'outputKilobytes', ...commandLimitKeys]),
    decidedBy,
  }
}
