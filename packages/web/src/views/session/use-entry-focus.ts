import type { RefObject } from 'preact'
import { useCommands } from '../../shell/use-commands.ts'

/** Moves the focus from entry to entry, and opens and closes the focused entry's calls. */
export function useEntryFocus(box: RefObject<HTMLElement | null>, isActive: boolean): void {
  const all = () => [...(box.current?.querySelectorAll<HTMLElement>(':scope > .entry') ?? [])]
  const focused = () => all().findIndex((entry) => entry.contains(document.activeElement))
  const focus = (index: number): false | undefined => {
    const list = all()
    const entry = list[Math.max(0, Math.min(list.length - 1, index))]
    if (!isActive || entry === undefined) return false
    entry.focus()
    entry.scrollIntoView({ block: 'nearest' })
    return undefined
  }
  const toggle = (isOpen: boolean): false | undefined => {
    const calls = [...(all()[focused()]?.querySelectorAll<HTMLDetailsElement>('details.call') ?? [])]
    const changing = calls.filter((call) => call.open !== isOpen)
    if (!isActive || changing.length === 0) return false
    for (const call of changing) call.open = isOpen
    return undefined
  }
  useCommands({
    // If no entry has the focus, the first step moves to the newest one.
    down: () => (focused() < 0 ? focus(all().length - 1) : focus(focused() + 1)),
    up: () => (focused() < 0 ? focus(all().length - 1) : focus(focused() - 1)),
    first: () => focus(0),
    last: () => focus(all().length - 1),
    open: () => toggle(true),
    close: () => toggle(false),
  })
}
