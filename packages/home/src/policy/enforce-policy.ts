import type {
  AgentDefinition,
  Agents,
  Notice,
  Ports,
  Rule,
  RuleName,
  RunLimits,
  SessionSpec,
} from '@cadre/core'
import { targetsOf } from '@cadre/core'
import type { Policy } from './policy.ts'

/** The parts of a policy that the engine enforces. `restrictModels` filters models; agent files that the policy excludes are not read. */
export interface Enforcement {
  readonly ceilings: Partial<RunLimits>
  readonly rules: readonly Rule[]
  readonly refuse: NonNullable<Ports['refuse']>
  /** Returns the agents that may be offered for delegation. Calls that name others are refused with the reason. */
  permitted<Registry extends Agents>(agents: Registry): Registry
}

export interface EnforcementOptions {
  /** Names of agents that exist without a file or source. */
  readonly builtIns: readonly string[]
}

export function enforcePolicy(policy: Policy, { builtIns }: EnforcementOptions): Enforcement {
  const refusal = (key: string) => `${key} is false (${policy.decidedBy.get(key) ?? 'the policy'})`
  const isRemediator = (name: string) => name.toLowerCase() === 'cve_remediator'
  const isOff = (name: string) => !policy.cveRemediator && isRemediator(name)
  const isBuiltIn = ({ name, source }: AgentDefinition) =>
    source === undefined ? builtIns.includes(name) : source.dialect === 'built-in'

  const refuse = ({ agent, parent }: SessionSpec): Notice | undefined => {
    const because = (message: string): Notice => ({ code: 'policy', message })
    if (isOff(agent.name))
      return because(`Agent ${agent.name} is disabled: ${refusal('cveRemediatorAgent.enabled')}`)
    if (!policy.customAgents && !isBuiltIn(agent)) {
      const from = agent.source === undefined ? 'is not built in' : `is defined in ${agent.source.path}`
      return because(
        `Agent ${agent.name} ${from}, but the policy allows built-in agents only: ${refusal('customAgent.enabled')}`,
      )
    }
    if (!policy.subagents && parent !== undefined)
      return because(
        `Another agent started ${agent.name}, but delegation is disabled: ${refusal('subagent.enabled')}`,
      )
    return undefined
  }

  const disabledAgents: Rule = {
    by: 'policy',
    name: 'disabled-agents',
    immediate: true,
    judge({ tool, input }) {
      if (tool.kind !== 'delegate' && tool.kind !== 'team') return undefined
      const deny = (rule: RuleName, reason: string) => ({ kind: 'deny', by: 'policy', rule, reason }) as const
      if (!policy.subagents)
        return deny(
          'subagent.enabled',
          `delegation is disabled: ${refusal('subagent.enabled')}. Do the work yourself`,
        )
      const target = targetsOf(tool, input).find(isOff)
      if (target === undefined) return undefined
      const key = 'cveRemediatorAgent.enabled'
      return deny(key, `${target} is disabled: ${refusal(key)}. Do the work yourself`)
    },
  }

  return {
    ceilings: ceilingsOf(policy),
    rules: policy.subagents && policy.cveRemediator ? [] : [disabledAgents],
    refuse,
    permitted(agents) {
      if (policy.cveRemediator) return agents
      return { ...agents, list: () => agents.list().filter(({ name }) => !isOff(name)) }
    },
  }
}

function ceilingsOf({ limits }: Policy): Partial<RunLimits> {
  const { depth, concurrency, sessions, maxTurns, timeoutSeconds, identicalCalls, budget } = limits
  return {
    ...(depth !== undefined && { depth }),
    ...(concurrency !== undefined && { concurrency }),
    ...(sessions !== undefined && { sessions }),
    ...(maxTurns !== undefined && { maxRounds: maxTurns }),
    ...(identicalCalls !== undefined && { identicalCalls }),
    ...(timeoutSeconds !== undefined && { timeLimit: timeoutSeconds * 1000 }),
    ...(budget && { budget }),
  }
}
