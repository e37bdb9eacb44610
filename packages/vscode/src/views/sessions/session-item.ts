import { isEndedStatus } from '@cadre/core'
import { timeAgo } from '../time-ago.ts'
import type { ListedSession } from './session-forest.ts'

/**
 * `here`, `elsewhere`: this or another process runs it. `answered`: a person has decided, and it can be resumed. `stopped`:
 * it was working when its process ended.
 */
export type SessionState =
  | 'here'
  | 'elsewhere'
  | 'waiting'
  | 'answered'
  | 'stopped'
  | 'completed'
  | 'incomplete'
  | 'cancelled'
  | 'error'
  | 'unreadable'

/** The current activity of a session that has not ended, from its journal. */
export interface Activity {
  readonly text: string
  /** It asks a person. */
  readonly waits: boolean
}

export interface SessionItem extends ListedSession {
  readonly state: SessionState
  readonly activity?: string
  readonly hasChildren: boolean
  readonly isRoot: boolean
  /** The process that runs it, whether it is working or waiting. Absent for an ended session. */
  readonly owner?: 'here' | 'elsewhere' | undefined
}

export function stateOf(
  { status, outcome, fault }: ListedSession,
  owner: 'here' | 'elsewhere' | undefined,
  /** True if a question of its tree is open; undefined if the journal was not read. */
  waits?: boolean,
): SessionState {
  if (fault !== undefined) return 'unreadable'
  if (isEndedStatus(status)) return outcome ?? status
  if (status === 'sleeping') return waits === false ? 'answered' : 'waiting'
  if (waits && owner !== undefined) return 'waiting'
  return owner ?? 'stopped'
}

const stateLabels: Readonly<Record<SessionState, string>> = {
  here: 'running',
  elsewhere: 'running in another process',
  waiting: 'waiting for you',
  answered: 'ready to resume',
  stopped: 'stopped',
  completed: 'completed',
  incomplete: 'incomplete',
  cancelled: 'cancelled',
  error: 'failed',
  unreadable: 'cannot be read',
}

export const sessionIcons: Readonly<Record<SessionState, readonly [icon: string, color?: string]>> = {
  here: ['loading~spin'],
  elsewhere: ['sync~spin'],
  waiting: ['bell-dot', 'charts.yellow'],
  answered: ['debug-continue', 'charts.blue'],
  stopped: ['debug-pause'],
  completed: ['pass', 'charts.green'],
  incomplete: ['warning', 'charts.yellow'],
  cancelled: ['circle-slash'],
  error: ['error', 'charts.red'],
  unreadable: ['error', 'charts.red'],
}

export function stateLabel(state: SessionState): string {
  return stateLabels[state]
}

/** Shown next to the agent's name: the activity or outcome, the time, and the work. */
export function sessionDescription(item: SessionItem, now: number): string {
  const { state, activity, updated, work, fault } = item
  if (fault !== undefined) return stateLabels[state]
  const isRunning = state === 'here' || state === 'elsewhere'
  const doing =
    isRunning && activity ? [stateLabels[state], activity] : state === 'completed' ? [] : [stateLabels[state]]
  return [...doing, timeAgo(updated, now), work ?? ''].filter((part) => part !== '').join(' · ')
}

/** Which commands apply to it. */
export function sessionContext({ state, isRoot, owner }: SessionItem): string {
  // A session that has reported cannot continue. A cancelled or failed one can.
  if (state === 'unreadable' || state === 'completed' || state === 'incomplete') return 'session'
  if (owner !== undefined) return 'session running'
  return isRoot ? 'session resumable' : 'session'
}

/** The usage of a session, for its tooltip. */
export interface SessionDetail {
  readonly model: string
  readonly rounds: number
  readonly calls: number
  readonly input: number
  readonly output: number
  readonly cost?: number
  readonly premium?: number
  readonly notice?: string
}

export function sessionTooltip(item: SessionItem, detail?: SessionDetail): string {
  const { id, agent, state, activity, created, updated, work, fault } = item
  if (fault !== undefined) return `${id}\n${fault}`
  return [
    `${agent}: ${stateLabels[state]}`,
    ...(activity ? [activity] : []),
    ...(detail?.notice ? [detail.notice] : []),
    ...(work ? [`Work: ${work}`] : []),
    ...(detail ? usageLines(detail) : []),
    `Started: ${localTime(created)}`,
    `Updated: ${localTime(updated)}`,
    `Session: ${id}`,
  ].join('\n')
}

function usageLines({ model, rounds, calls, input, output, cost, premium }: SessionDetail): string[] {
  const used = [
    `${input.toLocaleString('en')} tokens in, ${output.toLocaleString('en')} out`,
    ...(cost === undefined ? [] : [`$${cost.toFixed(cost < 0.1 ? 4 : 2)}`]),
    ...(premium === undefined ? [] : [`${premium} premium requests`]),
  ]
  return [
    `Model: ${model}`,
    `Used: ${used.join(', ')} (not including the sessions below)`,
    `Rounds: ${rounds}, calls: ${calls}`,
  ]
}

function localTime(time: string): string {
  const at = new Date(time)
  return Number.isNaN(at.getTime()) ? time : at.toLocaleString()
}
