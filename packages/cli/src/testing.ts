export {
  call,
  createTestTeam,
  defineAgent,
  fail,
  type Line,
  type ScriptedModels,
  say,
  startWire,
  type TestTeam,
  type TestTeamOptions,
} from '@cadre/testing'
