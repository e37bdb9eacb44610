import { lstatSync } from 'node:fs'

const most = 1000
const edited = new Map<string, string | undefined>()

/**
 * Remembers that this process changes a file, in this turn of the event loop. Of many files the newest: who wrote one long ago
 * matters to nobody.
 */
export function rememberEdit(file: string): void {
  edited.delete(file)
  if (edited.size >= most) edited.delete(edited.keys().next().value as string)
  edited.set(file, undefined)
  setImmediate(() => {
    if (edited.has(file)) edited.set(file, stampOf(file))
  }).unref()
}

/** Whether the file is as this process left it when it last changed it. For telling people apart from cadre, not for safety. */
export function wasEditedHere(file: string): boolean {
  return edited.has(file) && edited.get(file) === stampOf(file)
}

function stampOf(file: string): string {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats === undefined ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`
}
