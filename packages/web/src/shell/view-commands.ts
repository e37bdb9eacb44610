import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { PaletteCommand } from './palette-commands.ts'

/** The current view's commands, for the palette. */
export const viewCommands = signal<readonly PaletteCommand[]>([])

/** Adds commands to the palette while the component is shown. They are added again when `key` changes. */
export function useViewCommands(commands: readonly PaletteCommand[], key: string): void {
  useEffect(() => {
    viewCommands.value = [...viewCommands.peek(), ...commands]
    return () => {
      viewCommands.value = viewCommands.peek().filter((command) => !commands.includes(command))
    }
  }, [key])
}
