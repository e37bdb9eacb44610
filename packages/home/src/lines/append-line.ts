/**
 * Owns appends to files of lines with ids, as in `inbox/` and `mailboxes/`. May be called at any time, by any process.
 *
 * 1. A line is completely on disk before its promise resolves.
 * 2. There is one line per id, even if several processes add it repeatedly.
 * 3. Lines that arrive during a write are written together, with one sync.
 */
import { CadreError, type JsonObject } from '@cadre/core'
import type { Home } from '../home/home.ts'
import { withLock } from '../leases/with-lock.ts'
import { appendLines } from './append-lines.ts'
import { openIdIndex } from './id-index.ts'
import { lineFileName } from './line-file-name.ts'
import { maxLineLength } from './split-lines.ts'

interface Waiting {
  readonly id: string
  readonly text: string
  readonly resolve: (answer: 'new' | 'known') => void
  readonly reject: (error: unknown) => void
}

const queues = new Map<string, Waiting[]>()
const maxIdLength = 1_000

/** Appends a line to `<folder>/<file>.jsonl`. Returns `known`, and writes nothing, if a line with this id exists. */
export async function appendLine(
  home: Home,
  folder: string,
  file: string,
  line: JsonObject & { readonly id: string },
): Promise<'new' | 'known'> {
  const name = lineFileName(file)
  const place = home.at(folder, `${name}.jsonl`)
  const text = JSON.stringify(line)
  if (typeof line.id !== 'string' || line.id === '' || line.id.length > maxIdLength)
    throw new CadreError('usage', `a line needs an id of 1 to ${maxIdLength} characters.`)
  if (text.length > maxLineLength / 4)
    throw new CadreError(
      'usage',
      `the line is too long: ${text.length} characters (at most ${maxLineLength / 4}).`,
    )
  return new Promise((resolve, reject) => {
    const waiting = { id: line.id, text, resolve, reject }
    const queue = queues.get(place)
    if (queue !== undefined) queue.push(waiting)
    else {
      queues.set(place, [waiting])
      void drain(home, folder, name)
    }
  })
}

/** Never rejects: errors go to each waiting caller. */
async function drain(home: Home, folder: string, name: string): Promise<void> {
  const place = home.at(folder, `${name}.jsonl`)
  for (;;) {
    const queue = queues.get(place) ?? []
    if (queue.length === 0) break
    let batch: Waiting[] = []
    try {
      home.folder(folder)
      const index = openIdIndex(place)
      await index.prepare()
      const known = await withLock(home, `${folder.replaceAll('/', '-')}-${name}`, () => {
        batch = queue.splice(0)
        // A last line without a line break may be the line to add.
        appendLines(place, [], { durable: false })
        index.refresh()
        const seen = new Set<string>()
        const isNew = batch.map(({ id }) => {
          const isKnown = index.has(id) || seen.has(id)
          seen.add(id)
          return !isKnown
        })
        appendLines(
          place,
          batch.filter((_, at) => isNew[at]).map(({ text }) => text),
        )
        return isNew
      })
      batch.forEach(({ resolve }, at) => {
        resolve(known[at] ? 'new' : 'known')
      })
    } catch (error) {
      for (const { reject } of batch.length > 0 ? batch : queue.splice(0)) reject(error)
    }
  }
  queues.delete(place)
}
