export { type CombinedTools, combineTools } from './combine-tools.ts'
export type { ConfinedPath, ProtectedPath } from './confine.ts'
export { createTools, type ToolOptions } from './create-tools.ts'
export type { CommandOptions } from './execute-command-tool.ts'
export type { CheckOptions } from './get-errors-tool.ts'
export {
  type CustomTools,
  type CustomToolsFault,
  type CustomToolsRequest,
  loadCustomTools,
} from './load-custom-tools.ts'
export { type LocateRipgrep, locateRipgrep } from './locate-ripgrep.ts'
export type { WebOptions } from './web-fetch-tool.ts'
