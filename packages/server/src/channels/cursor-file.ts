import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import path from 'node:path'
import { type JsonObject, parseJson } from '@cadre/core'
import { type Home, isObject, readRegular } from '@cadre/files'

/** What a channel remembers from one start to the next, in `storage/cursors/<name>.json`. Losing it costs some work, never a message. */
export interface CursorFile {
  read(): JsonObject
  /** It is at any time the old one or the new one, whole. */
  write(value: JsonObject): void
}

export function openCursor(home: Home, name: string): CursorFile {
  const file = home.at('storage', 'cursors', `${name}.json`)
  return {
    read() {
      try {
        const parsed = parseJson(readRegular(file).toString('utf8'))
        return parsed.ok && isObject(parsed.value) ? parsed.value : {}
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
        throw error
      }
    },
    write(value) {
      const draft = path.join(home.folder('storage', 'cursors'), `.${name}.${process.pid}.tmp`)
      const target = openSync(draft, 'w')
      try {
        writeSync(target, `${JSON.stringify(value)}\n`)
        fsyncSync(target)
      } finally {
        closeSync(target)
      }
      renameSync(draft, file)
    },
  }
}
