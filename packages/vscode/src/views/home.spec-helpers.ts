import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { RunResult } from '@cadre/core'
import { createRuntime, openSessions, type RuntimeOptions, type Sessions } from '@cadre/runtime'
import { onTestFinished } from 'vitest'

export interface TestHome {
  readonly workspace: string
  /** Runs the assistant with these steps of a playbook. */
  run(steps: readonly object[], options?: Pick<RuntimeOptions, 'ask'>): Promise<RunResult>
  resume(session: string): Promise<RunResult>
  open(): Promise<Sessions>
}

/** A workspace with its own home, as created by the command. */
export function createTestHome(files: Readonly<Record<string, string>> = {}): TestHome {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-views-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const workspace = path.join(folder, 'workspace')
  mkdirSync(workspace)
  const warn = () => {}
  const environment = {
    env: { HOME: folder, PATH: process.env['PATH'], USER: 'tester' },
    cwd: workspace,
    warn,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(workspace, name), text)
  const runtime = (options: Pick<RuntimeOptions, 'ask'> = {}) =>
    createRuntime({ environment, model: 'scripted:p.yaml', tell: warn, ...options })
  return {
    workspace,
    async run(steps, options) {
      writeFileSync(path.join(workspace, 'p.yaml'), JSON.stringify({ lanes: { assistant: steps } }))
      const opened = await runtime(options)
      try {
        return await opened.run('Do it.')
      } finally {
        await opened.close()
      }
    },
    async resume(session) {
      const opened = await runtime()
      try {
        return await opened.orchestrator.resume(session, {}, new AbortController().signal)
      } finally {
        await opened.close()
      }
    },
    open: () => openSessions(environment, undefined),
  }
}
