import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { LaneServer } from './lanes.ts'

export interface HostEnded {
  readonly code: number | null
  readonly output: string
}

/** The real Claude Code, with the fake model server as its only server. */
export function runClaude(project: string, server: LaneServer, agent: string): Promise<HostEnded> {
  const args = ['-p', 'Do the work', '--agent', agent, '--permission-mode', 'bypassPermissions']
  return runHost('@anthropic-ai/claude-code', 'claude', project, args, {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-ant-a-key-that-nobody-checks',
    ANTHROPIC_MODEL: 'claude-sonnet-4-5',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // Otherwise it refuses to run as root without asking.
    IS_SANDBOX: '1',
  })
}

/** The real Copilot CLI, with the fake model server as its only server. */
export function runCopilot(project: string, server: LaneServer, agent: string): Promise<HostEnded> {
  const args = ['-p', 'Do the work', '--agent', agent, '--allow-all', '--trust-folder', '--no-auto-update']
  return runHost('@github/copilot', 'copilot', project, args, {
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${server.url}/v1`,
    COPILOT_PROVIDER_API_KEY: 'a-key-that-nobody-checks',
    COPILOT_MODEL: 'fake-model',
  })
}

async function runHost(
  name: string,
  program: string,
  project: string,
  args: readonly string[],
  settings: NodeJS.ProcessEnv,
): Promise<HostEnded> {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-host-')))
  const child = spawn(programOf(name, program), args, {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: home, ...settings },
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true, maxRetries: 10 })
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

/** npm chooses one of several packages for this machine, which contains the program. */
export function programOf(name: string, program: string): string {
  const [scope = '', base = ''] = name.split('/')
  const folder = path.join(process.env['CADRE_TEST_HOSTS'] ?? '', 'node_modules', scope)
  const own = readdirSync(folder).find((entry) => entry.startsWith(`${base}-${process.platform}-`))
  if (own === undefined) throw new Error(`npm has no ${name} for this machine`)
  const ending = process.platform === 'win32' ? '.exe' : ''
  return path.join(folder, own, `${program}${ending}`)
}
