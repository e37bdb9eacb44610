export { createFakeClock, type FakeClock } from './fake-clock.ts'
export { freePort } from './free-port.ts'
export {
  createMemoryEngine,
  type MemoryEngine,
  type MemoryEngineOptions,
  type MemoryRecords,
} from './memory-engine.ts'
export {
  call,
  fail,
  type Line,
  type ScriptedModels,
  type ScriptedOptions,
  say,
  scriptedModels,
} from './scripted-models.ts'
export {
  agentsOf,
  countingIds,
  createTestTeam,
  defineAgent,
  type TestTeam,
  type TestTeamOptions,
} from './test-team.ts'
export {
  startWire,
  type Wire,
  type WireOptions,
  type WireRequest,
  type WireScript,
} from './wire/start-wire.ts'
export { answers, type Piece, type WireAnswer } from './wire/wire-answer.ts'
export { completionOf, streamOf, type WireReply, type WireReplyCall } from './wire/wire-reply.ts'
