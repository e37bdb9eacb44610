export { createRestateKeeper } from './client/create-restate-keeper.ts'
export type { ReadTree, RestateKeeper, RestateKeeperOptions } from './client/restate-keeper.ts'
export type { LiveAnswer } from './engine/live-events.ts'
export { RestateEngine, type RestateEngineOptions } from './engine/restate-engine.ts'
export type { TreeLife } from './engine/tree-life.ts'
export { loadSdk, type Sdk } from './load-sdk.ts'
export type { LogItem } from './log/log-item.ts'
export { placeNames } from './place-names.ts'
export { certificateAdvice, serverFailure } from './server-failure.ts'
export type {
  ReadSession,
  SessionEdit,
  TreeMessage,
  TreeOrder,
  TreeResult,
  TreeState,
} from './tree-order.ts'
export { listenForTrees } from './worker/listen-for-trees.ts'
export { type RegisterOptions, registerWorker } from './worker/register-worker.ts'
export { serveWorker } from './worker/serve-worker.ts'
export {
  defaultWorkerLimits,
  type Worker,
  type WorkerLimits,
  type WorkerOptions,
  type WorkerParts,
} from './worker/worker-options.ts'
