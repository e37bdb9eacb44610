import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { CommandHint } from './command-hint.tsx'
import { Dialog } from './dialog.tsx'

export interface ConfirmDialogProps {
  readonly title: string
  /** The button's label, which names the action. */
  readonly action: string
  readonly command: string
  readonly isDangerous?: boolean
  /** Resolves when the action has completed, or when its error has been shown. */
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Asks before an action that changes files. The button works once. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, command, isDangerous = false, onConfirm, onClose, children } = props
  const isBusy = useSignal(false)
  const confirm = async () => {
    if (isBusy.peek()) return
    isBusy.value = true
    try {
      await onConfirm()
    } finally {
      isBusy.value = false
      onClose()
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="action">
        <button
          type="button"
          class={isDangerous ? 'danger' : 'primary'}
          disabled={isBusy.value}
          onClick={() => void confirm()}
        >
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Go back <kbd>Esc</kbd>
        </button>
      </div>
      <CommandHint command={command} />
    </Dialog>
  )
}
