import { CadreError, messageOf } from '@cadre/core'
import { hasCode, listFolder } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { readSummary, type SessionSummary } from '../format/read-summary.ts'
import { type JournalDiagnostic, readOptions } from './engine-parts.ts'

const ending = '.session.yaml'
/** Files per turn of the event loop. */
const share = 200

/** All sessions of a home, in the order of their names. A file that cannot be read is reported, and left out. */
export async function listSessions(
  home: Home,
  report: (diagnostic: JournalDiagnostic) => void,
): Promise<SessionSummary[]> {
  const names = listFolder(home.at('sessions')).filter(
    (name) => name.endsWith(ending) && !name.startsWith('.'),
  )
  const summaries: SessionSummary[] = []
  for (const [index, name] of names.sort().entries()) {
    if (index % share === share - 1) await new Promise((resolve) => setImmediate(resolve))
    const id = name.slice(0, -ending.length)
    const options = readOptions({ home }, id)
    try {
      const summary = readSummary(options)
      if (summary !== undefined) summaries.push(summary)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) continue
      // One odd file must not hide all the others.
      const where = (error instanceof CadreError ? error.where : undefined) ?? options.path
      report({ code: 'journal.unreadable', message: messageOf(error), session: id, where })
    }
  }
  return summaries
}
