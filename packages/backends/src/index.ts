export type { Confine } from './acp/confine.ts'
export { installedPrograms } from './acp/installed-programs.ts'
export type { Backend } from './backend.ts'
export { type Account, readAccount } from './copilot-access/account.ts'
export { readModels, type ServerMode } from './copilot-access/catalogue.ts'
export { readCache } from './copilot-access/copilot-cache.ts'
export { copilotDefaultModel } from './copilot-access/copilot-default-model.ts'
export {
  type CopilotPackage,
  installedSdk,
  installedServer,
  sdkPackage,
  serverPackage,
  versionIn,
} from './copilot-access/copilot-packages.ts'
export {
  forgetAccount,
  type KnownAccount,
  listAccounts,
  type SignInEnd,
  signIn,
  signOut,
  useAccount,
} from './copilot-access/copilot-sign-in.ts'
export {
  type CopilotStatus,
  cacheSignIn,
  cacheSignOut,
  inspectCopilot,
  mayBeSignedIn,
} from './copilot-access/inspect-copilot.ts'
export { serverConfigProblem } from './copilot-access/missing-server.ts'
export { signInFolder, storedSignIns, tokenVariable } from './copilot-access/stored-copilot-sign-in.ts'
export { withServer } from './copilot-access/with-server.ts'
export { copilotFolder } from './copilot-folder.ts'
export { findServer } from './copilot-ls/find-server.ts'
export type { ServerProcess } from './copilot-ls/server-process.ts'
export { missingSdkMessage } from './copilot-sdk/find-sdk.ts'
export { createModels, type ModelsOptions } from './create-models.ts'
export { hideTokens } from './hide-tokens.ts'
export { isLoopbackHost } from './http/endpoint.ts'
export { readKeyFromCommand } from './http/key.ts'
export { type ListedModel, listAllModels } from './list-all-models.ts'
export { chatModes, type ModelsConfig } from './models-config.ts'
export { openEmbeddings } from './openai/embeddings.ts'
export { ProgramCalls } from './program-calls.ts'
export { createScriptedModels } from './scripted/create-scripted-models.ts'
