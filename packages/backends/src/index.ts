export type { Backend, BackendContext, BackendLoader, ModelFacts } from './backend.ts'
export { askCopilot, type CopilotMode, type CopilotModel, type CopilotOffer, listModes } from './copilot.ts'
export { createModels, type ModelsOptions } from './create-models.ts'
export type { CopilotConfig, ModelsConfig, OpenAiConfig } from './models-config.ts'
export {
  createScriptedModels,
  type ScriptedModels,
  type ScriptedOptions,
  scriptedModel,
} from './scripted/create-scripted-models.ts'
export type { Leftover } from './scripted/leftover-steps.ts'
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
