import type { CallStatus } from '@cadre/core'

const shapes: Readonly<Record<CallStatus, string>> = {
  pending: 'M8 3a5 5 0 1 0 .01 0z',
  running: 'M4 3l9 5-9 5z',
  waiting: 'M8 2l6 6-6 6-6-6z',
  done: 'M3 8.5l3.5 3.5L13 5',
  failed: 'M4 4l8 8M12 4l-8 8',
  refused: 'M8 3a5 5 0 1 0 .01 0zM4.5 11.5l7-7',
  cancelled: 'M3 8h10',
  in_doubt: 'M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1 .8-1 1.7M8 12.5v.5',
}

const solid: readonly CallStatus[] = ['running', 'waiting']

export function CallStatusMark({ status }: { readonly status: CallStatus }) {
  return (
    <span class={`state call-state-${status}`}>
      <svg
        viewBox="0 0 16 16"
        width="14"
        height="14"
        aria-hidden="true"
        class={solid.includes(status) ? 'solid' : ''}
      >
        <path d={shapes[status]} />
      </svg>
      {status === 'in_doubt' ? 'in doubt' : status}
    </span>
  )
}
