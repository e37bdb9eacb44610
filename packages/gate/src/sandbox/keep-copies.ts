import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Home } from '@cadre/home'
import type { Change, ExpectedChanges } from './undo-changes.ts'

/** Limits per use, so that one program cannot fill the disk. */
const maxFiles = 100
const maxBytes = 64_000_000

/**
 * Saves the current state of files in the home before they are restored. Something that runs for hours may not be the one
 * that changed them: the work of a person must not be lost. Names of copies mean nothing to any program. Never throws.
 *
 * Create it before the program starts: a home that does not exist by then receives no copies.
 */
export function keepCopies(home: Home | undefined): NonNullable<ExpectedChanges['keep']> {
  const hasHome = home !== undefined && existsSync(home.path)
  const copies = new Map<string, string>()
  let bytes = 0
  return ({ path: place, after }) => {
    const content = contentOf(after)
    if (!hasHome || content === undefined) return undefined
    const known = copies.get(place)
    if (known !== undefined) return known
    if (copies.size >= maxFiles || bytes + content.length > maxBytes) return undefined
    try {
      const name = place.split(path.sep).filter(Boolean).join('__').slice(-180)
      const copy = path.join(
        home.folder('storage', 'undone', 'protected'),
        `${Date.now()}-${copies.size}-${name}.copy`,
      )
      writeFileSync(copy, content, { flag: 'wx', mode: 0o600 })
      bytes += content.length
      copies.set(place, copy)
      return copy
    } catch {
      // On a full disk nothing can be saved, but the change is still reported.
      return undefined
    }
  }
}

function contentOf(state: Change['after']): Uint8Array | undefined {
  if (state?.kind === 'link') return Buffer.from(state.target)
  return state?.kind === 'file' ? state.content : undefined
}
