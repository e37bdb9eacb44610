import type { Home } from '../home/open-home.ts'
import { readSummary, type SessionSummary } from '../journal/read-summary.ts'
import { readOptions } from './engine-parts.ts'
import { hasCode } from './files.ts'
import { isName } from './session-name.ts'

/** What the head of a session's file says; nothing when there is no such session. Throws when the file cannot be used. */
export function sessionSummaryOf(home: Home, session: string): SessionSummary | undefined {
  if (!isName(session)) return undefined
  try {
    return readSummary(readOptions({ home }, session))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
