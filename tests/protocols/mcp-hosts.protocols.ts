import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { programOf } from '../hosts/support/run-host.ts'
import { type HostScript, serveHostModel } from './support/host-model.ts'

/** A team of which one agent looks something up for the lead. */
const lanes = {
  lead: [
    { calls: [{ tool: 'delegate_task', input: { agent: 'Explore', task: 'Find the answer' } }] },
    { reply: 'I wait for the result.' },
    { reply: 'The team says: forty-two.' },
  ],
  Explore: [{ wait: 1500, reply: 'It is forty-two.' }],
}

interface HostProgram {
  readonly name: string
  /** How the program calls a tool of the server. */
  readonly tool: (name: string) => string
  readonly install: readonly string[]
  start(project: Project, url: string, home: string): ReturnType<typeof spawn>
}

const claude: HostProgram = {
  name: 'Claude Code',
  tool: (name) => `mcp__cadre__${name}`,
  install: ['--to', 'claude'],
  start: (project, url, home) =>
    spawn(
      programOf('@anthropic-ai/claude-code', 'claude'),
      [
        ...['-p', 'Delegate the work', '--mcp-config', '.mcp.json', '--strict-mcp-config'],
        ...['--permission-mode', 'bypassPermissions'],
      ],
      {
        cwd: project.path,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...environment(project, home),
          ANTHROPIC_BASE_URL: url,
          ANTHROPIC_API_KEY: 'sk-ant-a-key-that-nobody-checks',
          ANTHROPIC_MODEL: 'claude-sonnet-4-5',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
          IS_SANDBOX: '1',
        },
      },
    ),
}

const copilot: HostProgram = {
  name: 'Copilot CLI',
  tool: (name) => `cadre-${name}`,
  install: ['--to', 'copilot', '--project'],
  start: (project, url, home) =>
    spawn(
      programOf('@github/copilot', 'copilot'),
      [
        ...['-p', 'Delegate the work', '--additional-mcp-config', '@.github/mcp.json'],
        ...['--allow-all', '--trust-folder', '--no-auto-update'],
      ],
      {
        cwd: project.path,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...environment(project, home),
          COPILOT_OFFLINE: 'true',
          COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
          COPILOT_PROVIDER_API_KEY: 'a-key-that-nobody-checks',
          COPILOT_MODEL: 'fake-model',
        },
      },
    ),
}

function environment(project: Project, home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    CADRE_MODEL: `scripted:${project.at('playbook.yaml')}`,
  }
}

async function prepare(host: HostProgram) {
  const project = createProject({ 'playbook.yaml': { lanes } })
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-mcp-host-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }))
  const { code, stderr } = await project.cadre(['mcp', 'install', ...host.install], { ownProcess: true })
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return { project, home }
}

const runIn = (text: string) => /Run (\S+?)(?: \(|:)/.exec(text)?.[1] ?? ''
const delegated = { work: 'Find the answer', team: 'explorers', wait_seconds: 0 }

/** Delegates, waits until the run has ended, and repeats the report. */
function delegating({ tool }: HostProgram): HostScript {
  return (results) => {
    const last = results.at(-1)
    if (last === undefined) return { calls: [{ name: tool('delegate_work'), input: delegated }] }
    if (/: (running|starting|resuming)\./.test(last))
      return { calls: [{ name: tool('wait_for_run'), input: { run: runIn(last) } }] }
    return { text: `RESULT ${last}` }
  }
}

test.each([claude, copilot])('$name delegates to a team and gets the report', async (host) => {
  const { project, home } = await prepare(host)
  const { url, tools } = await serveHostModel(delegating(host))
  const child = host.start(project, url, home)
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code, output).toBe(0)
  expect(output).toContain('The team says: forty-two.')
  expect([...tools]).toContain(host.tool('delegate_work'))
  expect([...tools]).toContain(host.tool('wait_for_run'))
})

test.each([claude, copilot])('a run survives the kill of $name', async (host) => {
  const { project, home } = await prepare(host)
  let run = ''
  const { url } = await serveHostModel(async (results) => {
    const last = results.at(-1)
    if (last === undefined) return { calls: [{ name: host.tool('delegate_work'), input: delegated }] }
    run = runIn(last)
    child.kill('SIGKILL')
    return { text: 'too late' }
  })
  const child = host.start(project, url, home)
  child.stdout?.resume()
  child.stderr?.resume()
  // Not 'close': a program that it started can still have its output open.
  await once(child, 'exit')
  expect(run).not.toBe('')
  const journal = `.cadre/sessions/${run}.session.yaml`
  await until(() => project.exists(journal) && /outcome: (completed|error)/.test(project.read(journal)))
  expect(project.read(journal)).toContain('The team says: forty-two.')
})
