export { recordedCheckout } from './checkouts/checkout-paths.ts'
export { openCheckoutRepository } from './checkouts/checkout-repository.ts'
export { type Checkouts, openCheckouts } from './checkouts/open-checkouts.ts'
export { tryPush } from './checkouts/try-push.ts'
export {
  createCheckoutsHandler,
  withCheckoutPaths,
  withCheckoutResults,
  withCheckouts,
  withoutCheckouts,
} from './checkouts/use-checkouts.ts'
export { createCheckpointsHandler, withCheckpoints } from './checkpoints/create-checkpoints-handler.ts'
export {
  type ApplyOptions,
  type Checkpoints,
  openCheckpoints,
  type UndoPlanResult,
  type UndoRequest,
  type UndoResult,
} from './checkpoints/open-checkpoints.ts'
export type { Direction, PlannedFile, UndoPlan } from './checkpoints/undo-plan.ts'
export { createWorkspaces, type WorkspaceKeeper } from './create-workspaces.ts'
export { createWorkspacesHandler } from './create-workspaces-handler.ts'
export type { WorkspaceForecast } from './forecast-workspace.ts'
export { makeHomeWorkspace } from './make-home-workspace.ts'
export type { MergeResult } from './merge-workspace.ts'
export type { RollbackRequest, RollbackResult } from './rollback-workspace.ts'
export type { WorkspaceState } from './workspace-state.ts'
