import type { Note } from '@cadre/channels'
import type { Home } from '@cadre/home'
import { isHandWritten, wasEditedByCadre } from '@cadre/home'

/** Says which changes a person made, so that they are committed as such. */
export function noteHandEdits(home: Home, note: Note): (files: readonly string[]) => void {
  return (files) => {
    for (const file of files)
      if (isHandWritten(file) && !wasEditedByCadre(home, file))
        note({ type: 'file.edited', message: `edited by hand: ${file}`, file })
  }
}
