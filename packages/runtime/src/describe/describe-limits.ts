import { type AgentDefinition, defaultLimits, type SessionSpec } from '@cadre/core'
import type { RunParts } from '../run-parts.ts'
import type { LimitView } from './agent-view.ts'
import type { KeyLocations } from './key-locations.ts'

export interface LimitsRequest {
  readonly agent: AgentDefinition
  readonly parts: RunParts
  /** A delegated session as the engine would specify it, which provides the numbers. */
  readonly delegated: SessionSpec
  readonly places: KeyLocations
}

/** The limits in effect, each with its source. */
export function describeLimits({ agent, parts, delegated, places }: LimitsRequest): LimitView[] {
  const { limits, wanted, policy } = parts
  const { maxTurns, timeoutSeconds, budget = {} } = agent.limits ?? {}
  /** The policy is applied last, and sets a limit only if the requested one is higher. */
  const setBy = (key: string, value: number, asked: number | undefined, by: string) => {
    const place = policy.decidedBy.get(key)
    return place !== undefined && (asked === undefined || asked > value) ? place : by
  }
  const ofRun = (key: string, configured: number | undefined) =>
    configured === undefined ? 'default' : `${key} in the configuration`
  const rounds = delegated.limits.maxRounds
  const seconds = (delegated.limits.timeLimit ?? limits.timeLimit) / 1000
  const time = wanted.timeLimit === undefined ? undefined : wanted.timeLimit / 1000
  const view: LimitView[] = [
    {
      name: 'maxTurns',
      value: rounds,
      unit: 'rounds per session',
      from: setBy(
        'limits.maxTurns',
        rounds,
        maxTurns ?? wanted.maxRounds ?? defaultLimits.maxRounds,
        maxTurns === undefined
          ? ofRun('limits.maxTurns', wanted.maxRounds)
          : places.of(['maxturns', 'steps', 'maxsteps']),
      ),
    },
    {
      name: 'timeout',
      value: seconds,
      unit: 'seconds per delegation',
      from: setBy(
        'limits.timeoutSeconds',
        seconds,
        timeoutSeconds ?? time ?? defaultLimits.timeLimit / 1000,
        timeoutSeconds === undefined
          ? ofRun('limits.timeoutSeconds', time)
          : places.of(['timeout', 'timeoutseconds']),
      ),
    },
  ]
  const { identicalCalls } = limits
  if (identicalCalls > 0) {
    const asked = wanted.identicalCalls ?? defaultLimits.identicalCalls
    view.push({
      name: 'identicalCalls',
      value: identicalCalls,
      unit: 'identical calls in a row',
      from: setBy(
        'limits.identicalCalls',
        identicalCalls,
        asked === 0 ? Infinity : asked,
        ofRun('limits.identicalCalls', wanted.identicalCalls),
      ),
    })
  }
  for (const part of ['tokens', 'cost', 'calls'] as const) {
    const unit = part === 'cost' ? 'US dollars' : part
    const name = `budget.${part}`
    const own = budget[part]
    if (own !== undefined) view.push({ name, value: own, unit, from: places.within(['budget'], part) })
    const limit = limits.budget?.[part]
    if (limit === undefined) continue
    const by = setBy(`limits.budget.${part}`, limit, wanted.budget?.[part], `${name} in the configuration`)
    view.push({ name, value: limit, unit: `${unit} per run`, from: by })
  }
  for (const part of ['depth', 'concurrency', 'sessions'] as const) {
    const key = `limits.${part}`
    const by = setBy(key, limits[part], wanted[part] ?? defaultLimits[part], ofRun(key, wanted[part]))
    view.push({ name: part, value: limits[part], unit: 'per run', from: by })
  }
  return view
}
