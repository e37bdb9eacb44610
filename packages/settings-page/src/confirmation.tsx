import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

export interface ConfirmationProps {
  readonly title: string
  readonly children: ComponentChildren
  /** The action buttons, the default first. */
  readonly actions: readonly { readonly label: string; readonly onChoose: () => void }[]
  /** The cancel button. */
  readonly close?: string
  readonly onClose: () => void
}

/** A confirmation before something is lost. The focus stays inside, and returns afterwards. */
export function Confirmation({ title, children, actions, close = 'Cancel', onClose }: ConfirmationProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      // The browser restores the focus only if the dialog is still in the page.
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
        {actions.map(({ label, onChoose }, index) => (
          <button key={label} type="button" class={index === 0 ? 'primary' : ''} onClick={onChoose}>
            {label}
          </button>
        ))}
        <button type="button" onClick={onClose}>
          {close}
        </button>
      </div>
    </dialog>
  )
}
