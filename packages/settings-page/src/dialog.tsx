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

/** A question before something is lost. The focus stays inside, and goes back afterwards. */
export function Dialog({ title, children, action, onConfirm, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      // The browser gives the focus back only if the dialog is still in the page.
      if (opener instanceof HTMLElement) opener.focus()
    }
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
