import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Command, createKeyReader } from './keys.ts'
import { createTypeAhead } from './type-ahead.ts'

type Handlers = { readonly [Name in Command]?: () => unknown }

/** Newest last. The most recently shown component gets a key first, such as a dialog above a view. */
const layers: { handlers: Handlers; isModal: boolean }[] = []

/**
 * Handles commands while the component is shown. Return `false` to pass a command to the component below. A modal layer does not pass any keys to
 * the components below.
 */
export function useCommands(handlers: Handlers, { isModal = false } = {}): void {
  const layer = useRef({ handlers, isModal })
  layer.current.handlers = handlers
  // Before the browser paints, so that no key is lost that a person presses after seeing the view.
  useLayoutEffect(() => {
    const own = layer.current
    layers.push(own)
    return () => {
      layers.splice(layers.indexOf(own), 1)
    }
  }, [])
}

/** Runs a command, and returns whether a component handled it. */
export function runCommand(command: Command): boolean {
  for (const { handlers, isModal } of layers.toReversed()) {
    const handle = handlers[command]
    if (handle !== undefined && handle() !== false) return true
    if (isModal) return false
  }
  return false
}

const typeAhead = createTypeAhead()
let isViewMissing = false

/** Until `enterTypeAhead` or `dropTypeAhead`, keeps the text that a person types for the view that is loading. */
export function keepTypeAhead(): void {
  isViewMissing = true
}

export function dropTypeAhead(): void {
  isViewMissing = false
  typeAhead.clear()
}

/** Enters the kept text. Call it when the view is in the document. */
export function enterTypeAhead(): void {
  isViewMissing = false
  const taken = typeAhead.take(document.activeElement?.matches(textFields) ?? false)
  if (taken === undefined) return
  if (!(document.activeElement?.matches(textFields) ?? false)) runCommand('filter')
  const field = document.activeElement
  if (!(field instanceof HTMLInputElement)) return
  field.setRangeText(taken.text, field.value.length, field.value.length, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  if (taken.isSubmitted) field.form?.requestSubmit()
}

/** Listens for keys on the whole page. Call it once. */
export function startKeys(): void {
  const read = createKeyReader()
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return
    const target = event.target instanceof HTMLElement ? event.target : undefined
    const inText = target?.matches(textFields) ?? false
    const onControl = (target?.closest('button, a, summary, [role="tab"]') ?? null) !== null
    const isShortcut = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph')
    if (isViewMissing && !inText && !isShortcut && typeAhead.press(event.key, onControl))
      return event.preventDefault()
    const command = read({
      key: event.key,
      ctrl: event.ctrlKey,
      meta: event.metaKey,
      alt: event.altKey,
      inText,
      onControl,
    })
    // A key that is held down must not approve one item after another.
    if (command === undefined || (event.repeat && !repeatable.has(command))) return
    // Escape first leaves a field, so that it does not close the view and lose the typed text. Fields that handle Escape themselves are marked.
    const leaves = inText && command === 'back' && target?.closest('dialog, [data-escape]') === null
    if (!leaves && runCommand(command)) event.preventDefault()
    else if (inText && command === 'back') target?.blur()
  })
}

const repeatable: ReadonlySet<Command> = new Set(['down', 'up', 'pageDown', 'pageUp'])

const textFields =
  'input:not([type="checkbox"], [type="radio"], [type="button"]), textarea, select, [contenteditable]'
