import { copilotMutants } from './copilot.mjs'
import { daemonMutants } from './daemon.mjs'
import { engineMutants } from './engine.mjs'
import { gateMutants } from './gate.mjs'
import { runtimeMutants } from './runtime.mjs'
import { teamMutants } from './teams.mjs'
import { voteMutants } from './votes.mjs'
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
]

/** Every mutant: its name, the file, the text to find, its replacement, and the tests that must fail. */
export const mutants = areas.flatMap(({ tests, rows }) =>
  rows.map(([name, file, find, replace, own = tests]) => ({ name, file, find, replace, tests: own })),
)
