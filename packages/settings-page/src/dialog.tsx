import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** The buttons that go ahead, the usual one first. */
  readonly actions: readonly { readonly label: string; readonly onChoose: () => void }[]
  /** The button that changes nothing. */
  readonly close?: string
  readonly onClose: () => void
}

/** A question before something is lost. The focus stays inside, and goes back afterwards. */
export function Dialog({ title, children, actions, close = 'Cancel', onClose }: DialogProps) {
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
