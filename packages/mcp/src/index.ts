export {
  type ApprovedToolStore,
  type ApprovedTools,
  compareWithApproved,
  identityOf,
  openApprovedTools,
} from './approved-tools/approved-tool-store.ts'
export { describeChanges, type ToolChange } from './approved-tools/describe-changes.ts'
export { fingerprintTool, type ToolDefinition } from './approved-tools/fingerprint-tool.ts'
export { createOAuthProvider } from './auth/oauth-provider.ts'
export { type SignInOptions, signIn } from './auth/sign-in.ts'
export { storedAuth } from './auth/stored-auth.ts'
export { inputAccount, readSignIn, signInAccount } from './auth/stored-sign-in.ts'
export { describeServer } from './config/describe-server.ts'
export { type Expanded, expandServer, inputsOf, type VariableValues } from './config/expand-server.ts'
export { hiddenCodeWarning } from './config/hidden-code.ts'
export { type FoundServers, readServers, type ServerPaths } from './config/read-servers.ts'
export type { ServerAddress, ServerConfig, ServerProgram, ServerScope } from './config/server-config.ts'
export { type Connection, type ConnectOptions, connectServer } from './connect/connect-server.ts'
export type { Launch, ProgramStart } from './connect/launch.ts'
export {
  type Caller,
  declineWithoutAsking,
  type Elicitation,
  type ElicitationAnswer,
  shownUrl,
} from './elicit/elicitation.ts'
export { type FieldValue, type FormField, formFields, readField } from './elicit/form-fields.ts'
export { openServers, type Servers, type ServersOptions } from './open-servers.ts'
export { resolveReferences } from './server-link.ts'
export { effectOf } from './tools/effect-of.ts'
