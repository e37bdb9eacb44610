export type { ChatLog, LogEntry } from './chat-logs/chat-log.ts'
export { createSessionFromChatLog } from './chat-logs/create-session-from-chat-log.ts'
export { logEntriesOf, logFromSession } from './chat-logs/log-from-session.ts'
export { type PlacedEntry, readChatLog } from './chat-logs/read-chat-log.ts'
export { writeChatLog, writeEntries } from './chat-logs/write-chat-log.ts'
export { backUpEdit } from './engine/back-up-file.ts'
export { describeChange } from './engine/describe-change.ts'
export { createFileEngine, type FileEngine, type FileEngineOptions } from './engine/file-engine.ts'
export { readSessionBytes, readStoredSession } from './engine/read-stored-session.ts'
export { recoverHome } from './engine/recover-home.ts'
export {
  contentKey,
  entryKey,
  type Projected,
  type ProjectedSession,
  projectSession,
  readProjected,
  requireFileOf,
  requireRecordOf,
} from './engine/session-projection.ts'
export { sessionSummaryOf } from './engine/session-summary-of.ts'
export { moveWritten, readWritten, type WrittenSession } from './engine/written-session.ts'
export { endsWithEntry } from './format/ends-with-entry.ts'
export { findJournalProblems } from './format/find-journal-problems.ts'
export { readEndState } from './format/read-end-state.ts'
export type { SessionSummary } from './format/read-summary.ts'
export { truncateJournal } from './format/truncate-journal.ts'
