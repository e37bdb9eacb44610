import { agentMutants } from './agents.mjs'
import { channelMutants } from './channels.mjs'
import { copilotMutants } from './copilot.mjs'
import { daemonMutants } from './daemon.mjs'
import { diskMutants } from './disk.mjs'
import { engineMutants } from './engine.mjs'
import { gateMutants } from './gate.mjs'
import { httpMutants } from './http.mjs'
import { mcpMutants } from './mcp.mjs'
import { protocolMutants } from './protocols.mjs'
import { replayMutants } from './replay.mjs'
import { runtimeMutants } from './runtime.mjs'
import { taskMutants } from './tasks.mjs'
import { teamMutants } from './teams.mjs'
import { telemetryMutants } from './telemetry.mjs'
import { toolMutants } from './tools.mjs'
import { voteMutants } from './votes.mjs'
import { webMutants } from './web.mjs'
import { workerMutants } from './workers.mjs'

const areas = [
  engineMutants,
  gateMutants,
  runtimeMutants,
  daemonMutants,
  teamMutants,
  copilotMutants,
  voteMutants,
  workerMutants,
  httpMutants,
  mcpMutants,
  protocolMutants,
  channelMutants,
  toolMutants,
  taskMutants,
  agentMutants,
  diskMutants,
  replayMutants,
  telemetryMutants,
  webMutants,
]

/** Every mutant: its name, the file, the text to find, its replacement, and the tests that must fail. */
export const mutants = areas.flatMap(({ tests, rows }) =>
  rows.map(([name, file, find, replace, own = tests]) => ({ name, file, find, replace, tests: own })),
)
