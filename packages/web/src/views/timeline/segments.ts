import type { CallView, RoundView, SessionView } from '@cadre/core'

/** A period in which a session did one thing. Times are in milliseconds since 1970. */
export interface Segment {
  /** Unique in the tree. */
  readonly id: string
  readonly session: string
  /** `model`: a request to the model. `call`: a tool runs. `person`: the session waits for a person. */
  readonly kind: 'model' | 'call' | 'person'
  readonly label: string
  readonly from: number
  readonly to: number
  /** True if the segment has not ended yet. */
  readonly isOpen: boolean
  readonly status?: CallView['status']
  /** The session that a delegation started. */
  readonly child?: string
}

/** What a session did and when, in chronological order. Segments that have not ended yet end at `now`. */
export function segmentsOf(session: SessionView, now: number): Segment[] {
  const segments: Segment[] = []
  let free = timeInMs(session.startedAt) ?? now
  for (const round of session.rounds) {
    const replied = timeInMs(round.repliedAt)
    const from = timeInMs(round.startedAt) ?? free
    const to = replied ?? now
    segments.push({
      id: `${session.id}/${round.roundId}`,
      session: session.id,
      kind: 'model',
      label: `Round ${round.roundId}: model request`,
      from: Math.min(from, to),
      to,
      isOpen: replied === undefined,
    })
    free = to
    for (const call of round.toolCalls) {
      const own = callSegments(session.id, round, call, to, now)
      segments.push(...own)
      for (const segment of own) free = Math.max(free, segment.to)
    }
  }
  return segments.sort((a, b) => a.from - b.from || a.to - b.to)
}

function callSegments(
  session: string,
  { roundId }: RoundView,
  call: CallView,
  replied: number,
  now: number,
): Segment[] {
  const { id, name, status, person, child } = call
  const key = `${session}/${roundId}/${id}`
  const segments: Segment[] = []
  const started = timeInMs(call.startedAt)
  const isWaiting = status === 'waiting'
  if (isWaiting || person !== undefined) {
    const to = isWaiting ? now : (timeInMs(person?.at) ?? replied)
    segments.push({
      id: `${key}/person`,
      session,
      kind: 'person',
      label: isWaiting ? `${name}: waiting for a person` : `${name}: waited for ${person?.by ?? 'a person'}`,
      from: Math.min(replied, to),
      to,
      isOpen: isWaiting,
    })
  }
  if (started === undefined || isWaiting) return segments
  const settled = timeInMs(call.settledAt)
  const isOpen = settled === undefined && status === 'running'
  segments.push({
    id: key,
    session,
    kind: 'call',
    label: name,
    from: started,
    to: Math.max(started, settled ?? (isOpen ? now : started)),
    isOpen,
    status,
    ...(child !== undefined && { child }),
  })
  return segments
}

export function timeInMs(at: string | undefined): number | undefined {
  const ms = at === undefined ? Number.NaN : Date.parse(at)
  return Number.isNaN(ms) ? undefined : ms
}
