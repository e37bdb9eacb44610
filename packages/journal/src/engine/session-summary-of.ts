import { hasCode } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { isName } from '@cadre/home'
import { readSummary, type SessionSummary } from '../format/read-summary.ts'
import { readOptions } from './engine-parts.ts'

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
