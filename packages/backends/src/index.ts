export type { Confine, Confinement, ProgramStart } from './acp/confine.ts'
export { type InstalledProgram, installedPrograms } from './acp/installed-programs.ts'
export type { Backend, BackendContext, BackendLoader, ModelInfo } from './backend.ts'
export {
  type Account,
  readAccount,
  type Subscription,
} from './copilot-access/account.ts'
export { type AccountModel, readModels, type ServerMode } from './copilot-access/catalogue.ts'
export { readCache } from './copilot-access/copilot-cache.ts'
export { copilotDefaultModel } from './copilot-access/copilot-default-model.ts'
export {
  type CopilotPackage,
  type InstalledPackage,
  installedSdk,
  installedServer,
  sdkPackage,
  serverPackage,
  versionIn,
} from './copilot-access/copilot-packages.ts'
export {
  type CopilotStatus,
  cacheSignIn,
  cacheSignOut,
  inspectCopilot,
  mayBeSignedIn,
} from './copilot-access/inspect-copilot.ts'
export { missingServerMessage, serverConfigProblem } from './copilot-access/missing-server.ts'
export {
  type DeviceCode,
  forgetAccount,
  type KnownAccount,
  listAccounts,
  type SignInEnd,
  signIn,
  signOut,
  useAccount,
} from './copilot-access/sign-in.ts'
export { signInFolder, storedSignIns, tokenVariable } from './copilot-access/stored-sign-in.ts'
export { type CopilotOptions, type ServerResult, withServer } from './copilot-access/with-server.ts'
export { copilotFolder } from './copilot-folder.ts'
export { findServer, type ServerPaths } from './copilot-ls/find-server.ts'
export type { ServerProcess } from './copilot-ls/server-process.ts'
export { missingSdkMessage } from './copilot-sdk/find-sdk.ts'
export { createModels, type ModelsOptions } from './create-models.ts'
export { hideTokens } from './hide-tokens.ts'
export { isLoopbackHost } from './http/endpoint.ts'
export { readKeyFromCommand } from './http/key.ts'
export { type ListedBackend, type ListedModel, listAllModels } from './list-all-models.ts'
export {
  type AcpConfig,
  type AcpProgramConfig,
  type AnthropicConfig,
  type CopilotConfig,
  type CopilotProvider,
  chatModes,
  type ModelsConfig,
  type OpenAiConfig,
} from './models-config.ts'
export { type Embeddings, openEmbeddings } from './openai/embeddings.ts'
export { ProgramCalls, programCallTools } from './program-calls.ts'
export {
  createScriptedModels,
  type ScriptedModels,
  type ScriptedOptions,
  scriptedModel,
} from './scripted/create-scripted-models.ts'
export type { UnusedStep } from './scripted/leftover-steps.ts'
export type {
  Action,
  Block,
  Choice,
  Condition,
  Lane,
  LaneSessions,
  LaneTrack,
  Playbook,
  ScriptedCall,
  Step,
  Steps,
} from './scripted/playbook.ts'
export type { ScriptedModel } from './scripted/scripted-model.ts'
