import type { SessionRow } from '@cadre/api'

export type MarkName =
  | 'queued'
  | 'working'
  | 'waiting'
  | 'stopped'
  | 'completed'
  | 'incomplete'
  | 'error'
  | 'cancelled'

/** The state in one word. For an ended session: how it ended. */
export function stateOf({ state, outcome }: Pick<SessionRow, 'state' | 'outcome'>): MarkName {
  return state === 'ended' ? (outcome ?? 'completed') : state
}

const shapes: Readonly<Record<MarkName, string>> = {
  queued: 'M8 3a5 5 0 1 0 .01 0z',
  working: 'M4 3l9 5-9 5z',
  waiting: 'M8 2l6 6-6 6-6-6z',
  stopped: 'M4 4h3v8H4zM9 4h3v8H9z',
  completed: 'M3 8.5l3.5 3.5L13 5',
  incomplete: 'M3 8h10',
  error: 'M4 4l8 8M12 4l-8 8',
  cancelled: 'M8 3a5 5 0 1 0 .01 0zM4.5 11.5l7-7',
}

const filled: readonly MarkName[] = ['working', 'waiting', 'stopped']

/** A shape and a word, so that nobody has to distinguish colours. */
export function StateMark({
  state,
  hideWord = false,
}: {
  readonly state: MarkName
  readonly hideWord?: boolean
}) {
  return (
    <span class={`state state-${state}`}>
      <svg
        viewBox="0 0 16 16"
        width="14"
        height="14"
        aria-hidden="true"
        class={filled.includes(state) ? 'solid' : ''}
      >
        <path d={shapes[state]} />
      </svg>
      <span class={hideWord ? 'unseen' : ''}>{state}</span>
    </span>
  )
}
