import { loadTeam } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'
import { onTestFinished } from 'vitest'
import {
  type ExampleOptions,
  type ExampleRun,
  openExample,
  runExample,
} from '../../../examples/support/example.ts'
import type { Ended } from '../../cli/support/cadre.ts'
import type { Project } from '../../cli/support/project.ts'
import { type FakeGitHub, startFakeGitHub } from './fake-github.ts'
import { type PlayedScript, playbookScript } from './playbook-script.ts'
import { serverPackage } from './server-command.ts'

export interface CopilotExample {
  readonly project: Project
  readonly github: FakeGitHub
  readonly played: PlayedScript
  /** Runs `cadre run` on the example, as a separate process. */
  run(args: readonly string[], options?: ExampleOptions): Promise<ExampleRun>
  cadre(args: readonly string[], input?: string): Promise<Ended>
}

export const model = 'copilot-ls:gpt-5'

/** A copy of an example with the real language server, and its playbook as the model behind GitHub. */
export async function openCopilotExample(
  team: string,
  project = openExample(team),
  more: readonly Pick<AgentDefinition, 'name' | 'prompt'>[] = [],
): Promise<CopilotExample> {
  const played = await playbookScript(project.at('playbook.yaml'), [...more, ...loadTeam(team).agents])
  const github = await startFakeGitHub(played.script)
  onTestFinished(() => github.close())
  const env = { ...github.env, CADRE_COPILOT_SERVER: serverPackage() }
  return {
    project,
    github,
    played,
    run: (args, options) =>
      runExample(team, ['--team', team, ...args], project, { env, model, ownProcess: true, ...options }),
    cadre: (args, input = '') => project.cadre(args, { env, input, ownProcess: true }),
  }
}
