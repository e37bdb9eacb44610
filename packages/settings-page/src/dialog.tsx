import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** The button that goes ahead. */
  readonly action: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** A question before something is lost. The browser keeps the focus inside, and gives it back afterwards. */
export function Dialog({ title, children, action, onConfirm, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={`${id}-title`}>{title}</h2>
      <div id={`${id}-text`}>{children}</div>
      <div class="buttons">
        <button type="button" class="primary" onClick={onConfirm}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </dialog>
  )
}
