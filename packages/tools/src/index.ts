export { type CombinedTools, combineTools } from './combine-tools.ts'
export type { ConfinedPath, ProtectedPath } from './confine.ts'
export { createTools, type ToolOptions } from './create-tools.ts'
export type { CommandOptions } from './execute-command-tool.ts'
export type { CheckOptions } from './get-errors-tool.ts'
export { htmlText } from './html-text.ts'
export {
  type CustomTools,
  type CustomToolsFault,
  type CustomToolsRequest,
  loadCustomTools,
} from './load-custom-tools.ts'
export { type LocateRipgrep, locateRipgrep } from './locate-ripgrep.ts'
export type { MessagePort } from './message-port.ts'
export type { Embed, LoadEmbed } from './search-ranked/embed.ts'
export { type EmbedRequest, loadEmbed } from './search-ranked/load-embed.ts'
export type { MailMessage, SendEnd, Sender, SenderOptions, Senders, SlackMessage } from './senders.ts'
export type { TaskPort } from './task-port.ts'
export type { WebOptions } from './web-fetch-tool.ts'
