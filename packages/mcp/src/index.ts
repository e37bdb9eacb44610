export { createOAuthProvider } from './auth/oauth-provider.ts'
export { type SignInOptions, signIn } from './auth/sign-in.ts'
export { storedAuth } from './auth/stored-auth.ts'
export { inputAccount, readSignIn, signInAccount } from './auth/stored-sign-in.ts'
export { type Expanded, expandServer, inputsOf, type VariableValues } from './config/expand-server.ts'
export { type FoundServers, readServers, type ServerPlaces } from './config/read-servers.ts'
export type { ServerAddress, ServerConfig, ServerProgram, ServerScope } from './config/server-config.ts'
export { shownServer } from './config/shown-server.ts'
export {
  type Connection,
  type ConnectOptions,
  connectServer,
  type Elicitation,
  type ElicitationAnswer,
} from './connect/connect-server.ts'
export type { Launch, ProgramStart } from './connect/launch.ts'
export { openServers, type Servers, type ServersOptions } from './open-servers.ts'
export { describeChanges, type ToolChange } from './pins/describe-changes.ts'
export { pinOf, type ToolDefinition } from './pins/pin-of.ts'
export { comparePins, identityOf, openPins, type PinnedServer, type PinStore } from './pins/pin-store.ts'
export { resolveReach } from './server-link.ts'
export { effectOf } from './tools/effect-of.ts'
export { plainText } from './tools/plain-text.ts'
