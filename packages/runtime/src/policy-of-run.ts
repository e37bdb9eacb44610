import { CadreError, type Notice, type RunLimits } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { type Home, type LoadedPolicy, loadPolicy, permissivePolicy } from '@cadre/home'
import type { Environment } from './environment.ts'
import type { Settings } from './load-settings.ts'
import { userPaths } from './user-paths.ts'

/**
 * Loads the combined policy of the organisation, the user and the project. Restrictions of the project always apply. Its permissions apply
 * only if the home is trusted. Never rejects: the result contains the problems.
 */
export function loadPolicyFor(io: Environment, home: Home, homeTrusted: boolean): Promise<LoadedPolicy> {
  const { policy: user } = userPaths(io.env)
  return loadPolicy({ user, project: home.at('storage', 'policy.yaml'), trusted: () => homeTrusted })
}

/** Like `loadPolicyFor`, for running sessions: rejects if a file is invalid, because its restrictions are unknown. */
export async function requirePolicy(
  io: Environment,
  home: Home,
  homeTrusted: boolean,
): Promise<LoadedPolicy> {
  const policy = await loadPolicyFor(io, home, homeTrusted)
  const faults = faultsOf(policy)
  if (faults.length === 0) return policy
  throw new CadreError('configuration', `${faults.join('\n')}\n${noSession}`)
}

const noSession =
  'Cadre runs no sessions until this policy is valid. Correct it, or ask its owner to correct it.'

/** Returns the errors of a policy, with their locations. */
export function faultsOf({ diagnostics }: LoadedPolicy): string[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(showDiagnostic)
}

/**
 * Loads the policy for commands that only display something. Reports the problems of an invalid policy, and shows no restrictions for it,
 * because they are unknown.
 */
export async function loadPolicyForDisplay(
  io: Environment,
  home: Home,
  homeTrusted: boolean,
): Promise<{ readonly policy: LoadedPolicy; readonly faults: readonly string[] }> {
  const policy = await loadPolicyFor(io, home, homeTrusted)
  const faults = faultsOf(policy)
  if (faults.length === 0) return { policy, faults }
  const { files } = policy
  return { policy: { ...permissivePolicy, diagnostics: [], files }, faults: [...faults, noSession] }
}

/** The user's settings are another level: they can disable, but never enable. */
export function withSettings(policy: LoadedPolicy, { config, sources }: Settings): LoadedPolicy {
  if (config.enableSubagent !== false || !policy.subagents) return policy
  const place = `enableSubagent in ${sources.join(' or ')}`
  return {
    ...policy,
    subagents: false,
    decidedBy: new Map([...policy.decidedBy, ['subagent.enabled', place]]),
  }
}

/** The notices about a policy before a run starts. */
export function policyNotices(policy: LoadedPolicy, wanted: Partial<RunLimits>): Notice[] {
  const remarks = policy.diagnostics.map(showDiagnostic)
  const off = (key: string, what: string) => {
    const place = policy.decidedBy.get(key)
    return place === undefined ? [] : [`${what}: ${key} is false (${place})`]
  }
  return [
    ...remarks,
    ...(policy.customAgents ? [] : off('customAgent.enabled', 'only built-in agents are allowed')),
    ...(policy.subagents ? [] : off('subagent.enabled', 'delegation is disabled')),
    ...loweredLimits(policy, wanted),
  ].map((message) => ({ code: 'policy', message }))
}

/** Returns the requested limits that exceed the policy. */
function loweredLimits({ limits, decidedBy }: LoadedPolicy, wanted: Partial<RunLimits>): string[] {
  const seconds = wanted.timeLimit === undefined ? undefined : wanted.timeLimit / 1000
  const pairs: readonly [string, number | undefined, number | undefined][] = [
    ['limits.depth', wanted.depth, limits.depth],
    ['limits.concurrency', wanted.concurrency, limits.concurrency],
    ['limits.sessions', wanted.sessions, limits.sessions],
    ['limits.maxTurns', wanted.maxRounds, limits.maxTurns],
    ['limits.timeoutSeconds', seconds, limits.timeoutSeconds],
    // 0 means no limit, which is more than any number.
    [
      'limits.identicalCalls',
      wanted.identicalCalls === 0 ? Infinity : wanted.identicalCalls,
      limits.identicalCalls,
    ],
    ['limits.budget.tokens', wanted.budget?.tokens, limits.budget?.tokens],
    ['limits.budget.cost', wanted.budget?.cost, limits.budget?.cost],
    ['limits.budget.calls', wanted.budget?.calls, limits.budget?.calls],
  ]
  return pairs.flatMap(([key, asked, max]) =>
    asked === undefined || max === undefined || asked <= max
      ? []
      : [
          `${key} is lowered from ${asked === Infinity ? 'no limit' : asked} to ${max}, the maximum set by ${decidedBy.get(key) ?? 'the policy'}`,
        ],
  )
}
