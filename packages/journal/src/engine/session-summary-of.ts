import { hasCode } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { isSessionName } from '@cadre/home'
import { readSummary, type SessionSummary } from '../format/read-summary.ts'
import { readOptions } from './engine-parts.ts'

/** The summary in the head of a session file; `undefined` if there is no such session. Throws if the file cannot be used. */
export function sessionSummaryOf(home: Home, session: string): SessionSummary | undefined {
  if (!isSessionName(session)) return undefined
  try {
    return readSummary(readOptions({ home }, session))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
