import type { Budget, Json } from '@cadre/core'
import type { Policy } from './policy.ts'
import type { PolicyFile } from './read-policy-file.ts'

const limitKeys = ['depth', 'concurrency', 'sessions', 'maxTurns', 'timeoutSeconds'] as const
const budgetKeys = ['tokens', 'cost', 'calls'] as const

/** The strictest of all files for each key. `files` are in order, the strongest level first: of equals, it is the one named. */
export function combinePolicies(files: readonly PolicyFile[]): Policy {
  const decidedBy = new Map<string, string>()
  const said = (key: string) =>
    files.flatMap((file) => {
      const value = file.get(key)
      return value === undefined ? [] : [{ file, value }]
    })
  const decide = (key: string, file: PolicyFile) => decidedBy.set(key, file.placeOf(key))

  /** On, unless somebody switches it off. */
  const isOpen = (key: string): boolean => {
    const off = said(key).find(({ value }) => value === false)
    if (off !== undefined) decide(key, off.file)
    return off === undefined
  }
  /** Off, unless somebody switches it on who is more than the project, and nobody switches it off. */
  const isGranted = (key: string): boolean => {
    if (!isOpen(key)) return false
    const on = said(key).find(({ file, value }) => value === true && file.level !== 'project')
    if (on !== undefined) decide(key, on.file)
    return on !== undefined
  }
  const least = (key: string): number | undefined => {
    let lowest: { file: PolicyFile; value: Json } | undefined
    for (const one of said(key))
      if (lowest === undefined || (one.value as number) < (lowest.value as number)) lowest = one
    if (lowest === undefined) return undefined
    decide(key, lowest.file)
    return lowest.value as number
  }
  const leastOf = <Key extends string>(prefix: string, keys: readonly Key[]) =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const value = least(`${prefix}.${key}`)
        return value === undefined ? [] : [[key, value]]
      }),
    ) as { readonly [key in Key]?: number }

  const allowedModels = said('models.allow').map(({ file, value }, index) => {
    decidedBy.set(`models.allow.${index}`, file.placeOf('models.allow'))
    return value as readonly string[]
  })
  const budget: Budget = leastOf('limits.budget', budgetKeys)
  const limits = leastOf('limits', limitKeys)
  return {
    customAgents: isOpen('customAgent.enabled'),
    subagents: isOpen('subagent.enabled'),
    cveRemediator: isOpen('cveRemediatorAgent.enabled'),
    autoApproval: isGranted('agentMode.autoApproval.enabled'),
    mcp: isOpen('mcp.contributionPoint.enabled'),
    allowedModels,
    limits: { ...limits, ...(Object.keys(budget).length > 0 && { budget }) },
    decidedBy,
  }
}
