import { closeSync, copyFileSync, existsSync, fstatSync } from 'node:fs'
import { listFolder, openWithoutLinks } from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { LineCursor } from './line-cursor.ts'
import { lineFileBaseName, lineFileName } from './line-file-name.ts'
import { isLineUnchanged, LineReader } from './line-reader.ts'

/** Opens a reader of `<folder>/<name>.jsonl` in a home, at its last position. Only one process at a time may have one. */
export function openLineReader(home: Home, folder: string, name: string): LineReader {
  const bare = lineFileName(name)
  const place = home.at(folder, `${bare}.jsonl`)
  const cursors = home.folder('storage', 'cursors', folder)
  const own = `${cursors}/${bare}.jsonl`
  if (!existsSync(own)) takeOver(place, cursors, own)
  return new LineReader({ place, name: bare, cursor: new LineCursor(own) })
}

/** Takes over the cursor of a file that was renamed. */
function takeOver(place: string, cursors: string, own: string): void {
  const file = openWithoutLinks(place, 'read')
  if (file === undefined) return
  try {
    const { dev, ino } = fstatSync(file)
    for (const name of listFolder(cursors).filter((other) => lineFileBaseName(other) !== undefined)) {
      const { now, last, place: other } = new LineCursor(`${cursors}/${name}`)
      if (now?.file !== `${dev}:${ino}` || last === undefined || !isLineUnchanged(file, last)) continue
      copyFileSync(other, own)
      return
    }
  } finally {
    closeSync(file)
  }
}
