export {
  type ApprovedToolStore,
  compareWithApproved,
  identityOf,
  openApprovedTools,
} from './approved-tools/approved-tool-store.ts'
export { describeChanges, type ToolChange } from './approved-tools/describe-changes.ts'
export type { ServerToolDefinition } from './approved-tools/fingerprint-tool.ts'
export { signIn } from './auth/sign-in.ts'
export { storedAuth } from './auth/stored-auth.ts'
export { inputAccount, readSignIn, signInAccount } from './auth/stored-sign-in.ts'
export { describeServer } from './config/describe-server.ts'
export { expandServer, inputsOf } from './config/expand-server.ts'
export { hiddenCodeWarning } from './config/hidden-code.ts'
export { readServers } from './config/read-servers.ts'
export type { ServerConfig } from './config/server-config.ts'
export { type Connection, type ConnectOptions, connectServer } from './connect/connect-server.ts'
export type { ProgramStart } from './connect/launch.ts'
export {
  declineWithoutAsking,
  type Elicitation,
  type ElicitationAnswer,
  shownUrl,
} from './elicit/elicitation.ts'
export { type FieldValue, type FormField, formFields, readField } from './elicit/form-fields.ts'
export { openServers, type ServersOptions } from './open-servers.ts'
export { resolveReferences } from './server-link.ts'
