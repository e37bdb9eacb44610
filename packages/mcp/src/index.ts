export { type Expanded, expandServer, type VariableValues } from './config/expand-server.ts'
export { type FoundServers, readServers, type ServerPlaces } from './config/read-servers.ts'
export type { ServerAddress, ServerConfig, ServerProgram, ServerScope } from './config/server-config.ts'
export {
  type Connection,
  type ConnectOptions,
  connectServer,
  type Elicitation,
  type ElicitationAnswer,
} from './connect/connect-server.ts'
export { openServers, type Servers, type ServersOptions } from './open-servers.ts'
export { pinOf, type ToolDefinition } from './pins/pin-of.ts'
export { comparePins, identityOf, openPins, type PinnedServer, type PinStore } from './pins/pin-store.ts'
export { plainText } from './tools/plain-text.ts'
