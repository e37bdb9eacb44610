import { isObject, type JsonObject, parseJson } from '@cadre/core'
import { readRegularFile } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { writeFileAtomically } from './write-file-atomically.ts'

/** What a channel remembers across restarts, in `storage/cursors/<name>.json`. Losing it costs some work, never a message. */
export interface CursorFile {
  read(): JsonObject
  /** Replaces the file atomically. */
  write(value: JsonObject): void
}

export function openCursor(home: Home, name: string): CursorFile {
  const file = home.at('storage', 'cursors', `${name}.json`)
  return {
    read() {
      try {
        const parsed = parseJson(readRegularFile(file).toString('utf8'))
        return parsed.ok && isObject(parsed.value) ? parsed.value : {}
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
        throw error
      }
    },
    write: (value) =>
      writeFileAtomically(home, ['storage', 'cursors', `${name}.json`], JSON.stringify(value), {
        durable: true,
      }),
  }
}
