import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { loadTeam } from '@cadre/agents'
import { CadreError } from '@cadre/core'
import type { Home } from '@cadre/home'
import { homeOf } from '@cadre/runtime'
import { demoFolder } from '../../app/own-files.ts'
import type { Io } from '../../io.ts'
import { placeTeamFiles } from '../init/place-team-files.ts'
import { planTeamFiles } from '../init/plan-team-files.ts'

export interface DemoFolder {
  /** The workspace. */
  readonly folder: string
  readonly home: Home
  /** `--model`. */
  readonly model: string
}

/** Creates a folder for the demo with a home: the four operators, their reference data, and message routes. */
export async function prepareDemo(io: Io, wanted: string | undefined): Promise<DemoFolder> {
  const folder =
    wanted === undefined ? mkdtempSync(path.join(tmpdir(), 'cadre-demo-')) : path.resolve(io.cwd, wanted)
  if (wanted !== undefined && existsSync(folder) && readdirSync(folder).length > 0)
    throw new CadreError('usage', 'the demo folder must be empty or must not exist yet.', {
      where: folder,
    })
  mkdirSync(folder, { recursive: true })
  const real = realpathSync(folder)
  const home = homeOf({ ...io, cwd: real }, path.join(real, '.cadre'), true)
  const plan = await planTeamFiles({ team: loadTeam('operators'), home: home.path, project: real })
  placeTeamFiles({ plan, home, project: real, force: true, dryRun: false })
  cpSync(path.join(demoFolder, 'home'), home.path, { recursive: true })
  cpSync(path.join(demoFolder, 'playbook.yaml'), home.at('playbook.yaml'))
  return { folder: real, home, model: `scripted:${home.at('playbook.yaml')}` }
}
