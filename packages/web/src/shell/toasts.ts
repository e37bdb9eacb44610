import { signal } from '@preact/signals'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'info' | 'error'
}

export const toasts = signal<readonly Toast[]>([])

let count = 0

/** Shows a message. Errors remain until the person closes them. */
export function notify(text: string, kind: Toast['kind'] = 'info'): void {
  count += 1
  const id = count
  toasts.value = [...toasts.value.slice(-4), { id, text, kind }]
  if (kind === 'info') setTimeout(() => dismiss(id), 6000)
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Runs an action and reports its failure. Returns `undefined` if it failed. */
export async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error), 'error')
    return undefined
  }
}
