import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { useCommands } from '../shell/use-commands.ts'

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly class?: string
  readonly children: ComponentChildren
}

/** A modal dialog. It takes the focus, blocks the page's keys, and returns the focus when it closes. */
export function Dialog({ title, onClose, class: name = '', children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the browser paints, so that what a person types after opening the dialog goes into its first field.
  useLayoutEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    // The focus may be at the end of a long dialog, but people read from the beginning.
    dialog.current?.scrollTo(0, 0)
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  useCommands({ back: onClose, palette: onClose }, { isModal: true })
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div class="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
