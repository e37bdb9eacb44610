import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CadreEvent, Report } from '@cadre/core'
import { createRuntime, type Runtime, type RuntimeOptions } from '@cadre/runtime'
import { onTestFinished } from 'vitest'
import { type ChatScript, type FakeGitHub, startFakeGitHub } from './fake-github.ts'
import { serverPackage } from './server-command.ts'

export interface World {
  readonly folder: string
  /** The environment for a command in this world. */
  readonly env: { readonly [name: string]: string | undefined }
  readonly github: FakeGitHub
  readonly events: readonly CadreEvent[]
  /** A runtime on the files of this world, with its own models. */
  open(options?: RuntimeOptions): Promise<Runtime>
  report(runtime: Runtime, work: string, agent?: string): Promise<Report>
}

/** A project folder with agents, the real language server, and a fake GitHub on this machine. */
export async function openWorld(
  script: ChatScript,
  files: { readonly [name: string]: string } = {},
): Promise<World> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-copilot-')))
  const github = await startFakeGitHub(script)
  const runtimes: Runtime[] = []
  const events: CadreEvent[] = []
  onTestFinished(async () => {
    for (const runtime of runtimes) await runtime.close()
    await github.close()
    rmSync(folder, { recursive: true, force: true })
  })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  const env = {
    PATH: process.env['PATH'],
    HOME: path.join(folder, 'home'),
    CADRE_COPILOT_SERVER: serverPackage(),
    ...github.env,
  }
  return {
    folder,
    env,
    github,
    events,
    async open(options = {}) {
      const runtime = await createRuntime({
        model: 'copilot-ls:gpt-5',
        trust: true,
        onEvent: (event) => events.push(event),
        ...options,
        environment: { cwd: folder, env },
      })
      runtimes.push(runtime)
      return runtime
    },
    async report(runtime, work, agent) {
      const result = await runtime.run({ work, ...(agent && { agent }) })
      if (result.kind !== 'report') throw new Error('the run waits for somebody')
      return result.report
    },
  }
}

/** An agent file in Cadre's own dialect. */
export function agentFile(name: string, header: string, prompt: string): { readonly [path: string]: string } {
  return {
    [`.github/agents/${name}.agent.md`]: `---\nname: ${name}\ndescription: ${name}\n${header}\n---\n${prompt}\n`,
  }
}
