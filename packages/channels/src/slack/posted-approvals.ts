import { isObject, type Json } from '@cadre/core'
import type { Home } from '@cadre/home'
import { openCursor } from '../cursor-file.ts'

/** An approval that is, or is about to be, in Slack. */
export interface PostedApproval {
  readonly channel: string
  /** Absent while it is being posted: after a crash it is searched for. */
  readonly ts?: string
  /** The offered choices. */
  readonly choices: readonly string[]
  readonly title: string
  /** Milliseconds since 1970. */
  readonly since: number
}

/** The approvals that are pending in Slack, across restarts. */
export interface PostedApprovals {
  get(id: string): PostedApproval | undefined
  ids(): readonly string[]
  set(id: string, shown: PostedApproval): void
  remove(id: string): void
}

export function openPostedApprovals(home: Home): PostedApprovals {
  const file = openCursor(home, 'slack-approvals')
  const shown = new Map(
    Object.entries(file.read()).flatMap(([id, value]) => {
      const read = postedApprovalOf(value)
      return read === undefined ? [] : [[id, read] as const]
    }),
  )
  const save = () => file.write(Object.fromEntries([...shown].map(([id, one]) => [id, { ...one }])))
  return {
    get: (id) => shown.get(id),
    ids: () => [...shown.keys()],
    set(id, one) {
      shown.set(id, one)
      save()
    },
    remove(id) {
      if (shown.delete(id)) save()
    },
  }
}

function postedApprovalOf(value: Json): PostedApproval | undefined {
  if (!isObject(value)) return undefined
  const { channel, ts, choices, title, since } = value
  if (typeof channel !== 'string' || !Array.isArray(choices) || typeof since !== 'number') return undefined
  return {
    channel,
    ...(typeof ts === 'string' && { ts }),
    choices: choices.filter((one): one is string => typeof one === 'string'),
    title: typeof title === 'string' ? title : '',
    since,
  }
}
