export { type CombinedTools, combineTools } from './combine-tools.ts'
export { type ConfinedPath, type Confinement, type ConfineRequest, confine } from './confine.ts'
export { createTools, type ToolOptions } from './create-tools.ts'
export { cleanEnvironment } from './environment.ts'
export type { CheckOptions } from './get-errors-tool.ts'
export {
  type CustomTools,
  type CustomToolsFault,
  type CustomToolsRequest,
  loadCustomTools,
} from './load-custom-tools.ts'
export { type LocateRipgrep, locateRipgrep } from './locate-ripgrep.ts'
export { type ProtectedPath, protectedPaths, type RealPath } from './protected-paths.ts'
export type { WebOptions } from './web-fetch-tool.ts'
