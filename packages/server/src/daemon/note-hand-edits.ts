import type { Home } from '@cadre/files'
import { wasEditedHere } from '@cadre/files'
import type { Note } from '../happening.ts'

/**
 * Files that people write, and in which only cadre's own edits are not theirs. What an editor puts beside them for a moment is none. Sessions and inboxes have their own words; so
 * have approvals: what is decided there is told as that, with who did, whether in an editor or by another command.
 */
const watched = [
  /^tasks\/(?!approvals\.task\.md$)[^/]+\.task\.md$/,
  /^(?:templates|agents)\/[^/]+\.agent\.(?:ya?ml|md)$/,
  /^memory\/[^/.][^/]*\.md$/,
  /^inbox\/routes\.yaml$/,
  /^config\.yaml$/,
  /^storage\/[^/]+\.yaml$/,
]

/** Says which changes a person made, so that they are committed as such. */
export function noteHandEdits(home: Home, note: Note): (files: readonly string[]) => void {
  return (files) => {
    for (const file of files)
      if (watched.some((name) => name.test(file)) && !wasEditedHere(home.at(file)))
        note({ type: 'file.edited', message: `edited by hand: ${file}`, file })
  }
}
