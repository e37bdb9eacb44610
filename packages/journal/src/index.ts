export type { ChatLog, LogEntry, LogRole } from './chat-logs/chat-log.ts'
export { entriesOfLog } from './chat-logs/entries-of-log.ts'
export { logEntriesOf, logOfSession } from './chat-logs/log-of-session.ts'
export { type PlaceSessionRequest, placeSession } from './chat-logs/place-session.ts'
export {
  type LogProblem,
  type PlacedEntry,
  type ReadChatLog,
  readChatLog,
} from './chat-logs/read-chat-log.ts'
export { writeChatLog, writeEntries } from './chat-logs/write-chat-log.ts'
export type { JournalDiagnostic } from './engine/engine-parts.ts'
export { createFileEngine, type FileEngine, type FileEngineOptions } from './engine/file-engine.ts'
export { sessionSummaryOf } from './engine/session-summary-of.ts'
export { endsWithEntry } from './format/ends-with-entry.ts'
export { lookAtRest, type Rest } from './format/look-at-rest.ts'
export type { SessionSummary } from './format/read-summary.ts'
export type { Adopted } from './format/spec-of-header.ts'
