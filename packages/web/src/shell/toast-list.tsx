import { dismiss, toasts } from './toasts.ts'

export function ToastList() {
  return (
    <div class="toasts" role="log" aria-label="Messages">
      {toasts.value.map(({ id, text, kind }) => (
        <div key={id} class={`toast toast-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label="Close this message" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  )
}
