export type { CommandOptions, WatchCommand } from './commands/command-options.ts'
export type { CheckOptions } from './commands/get-errors.ts'
export { createTools, type ToolOptions } from './create-tools.ts'
export { type CombinedTools, combineTools } from './custom/combine-tools.ts'
export {
  type CustomTools,
  type CustomToolsFault,
  type CustomToolsRequest,
  loadCustomTools,
} from './custom/load-custom-tools.ts'
export type { ConfinedPath, ProtectedPath } from './files/confine-path.ts'
export type { Document, DocumentChange, Documents } from './files/documents.ts'
export { filesNamedBy } from './files/files-named-by.ts'
export { type FilePreview, type PreviewRequest, previewChange } from './files/preview-change.ts'
export { type RecordedChange, recordedChanges } from './files/recorded-changes.ts'
export type { MessagePort } from './messages/message-port.ts'
export type {
  MailMessage,
  SendEnd,
  Sender,
  SenderOptions,
  Senders,
  SlackMessage,
} from './messages/senders.ts'
export { type LocateRipgrep, locateRipgrep } from './search/locate-ripgrep.ts'
export type { Embed, EmbedLoader } from './search/ranked/embed.ts'
export { type LoadEmbedOptions, loadEmbedder } from './search/ranked/load-embedder.ts'
export type { TaskPort } from './tasks/task-port.ts'
export { htmlText } from './web/html-text.ts'
export type { WebOptions } from './web/web-fetch.ts'
