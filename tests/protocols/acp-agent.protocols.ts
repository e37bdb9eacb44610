/** `cadre acp` with a real client: acpx. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bin } from '../cli/support/cadre.ts'
import { recordOwnHome } from '../cli/support/own-home.ts'
import { agentFile, createProject, delegate, type Project, report } from '../cli/support/project.ts'
import { hasScript } from '../cli/support/terminal.ts'
import { until } from '../cli/support/until.ts'
import { startReceiver } from '../support/otlp-receiver.ts'

const folder = process.env['CADRE_TEST_PROTOCOLS']
if (folder === undefined) throw new Error('Run this file with "npm run test:protocols".')
const acpx = path.join(folder, 'node_modules', 'acpx', 'dist', 'cli.js')

const write = { calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'x\n' } }] }

function createTeam(lanes: object): Project {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': { lanes },
    // The process id of Cadre is known without asking anyone.
    'agent.sh': `echo $$ > "$HOME/agent.pid"; exec "${process.execPath}" "${bin}" acp --model "scripted:$HOME/p.yaml"\n`,
  })
  recordOwnHome({ cwd: project.path, env: { HOME: project.path } })
  return project
}

function environmentOf(project: Project, more: Record<string, string> = {}) {
  return { PATH: process.env['PATH'] ?? '', HOME: project.path, USER: 'tester', ...more }
}

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The messages of the protocol, with `--format json`. */
  messages(): Record<string, never>[]
}

async function run(
  project: Project,
  args: readonly string[],
  more: Record<string, string> = {},
): Promise<Ran> {
  const agent = ['--agent', `sh ${project.at('agent.sh')}`]
  const child = spawn(process.execPath, [acpx, ...agent, ...args], {
    cwd: project.path,
    env: environmentOf(project, more),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  const messages = () =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, never>)
  return { code, stdout, stderr, messages }
}

test('a prompt is approved, and the client writes the file', async () => {
  const project = createTeam({ lead: [write, { reply: 'Written.' }] })
  const ended = await run(project, ['--approve-all', '--format', 'json', 'exec', 'Write a file.'])
  expect(ended.code, ended.stderr).toBe(0)
  const methods = ended.messages().map(({ method }) => method)
  expect(methods).toContain('session/request_permission')
  expect(methods).toContain('fs/write_text_file')
  expect(ended.messages().at(-1)).toMatchObject({ result: { stopReason: 'end_turn' } })
  expect(project.read('a.txt')).toBe('x\n')
})

test('without the file system of the client, Cadre writes the file', async () => {
  const project = createTeam({ lead: [write, { reply: 'Written.' }] })
  const ended = await run(project, [
    '--approve-all',
    '--no-fs',
    '--no-terminal',
    '--format',
    'json',
    'exec',
    'Go.',
  ])
  expect(ended.code, ended.stderr).toBe(0)
  expect(ended.stdout).not.toContain('fs/write_text_file')
  expect(project.read('a.txt')).toBe('x\n')
})

test('a denied permission is told to the agent, and nothing is written', async () => {
  const project = createTeam({ lead: [write, { reply: 'I was not allowed to.' }] })
  const ended = await run(project, ['--deny-all', 'exec', 'Write a file.'])
  expect(ended.stdout).toContain('I was not allowed to.')
  expect(project.exists('a.txt')).toBe(false)
})

test('a session continues over several prompts, has options, is listed and closed', async () => {
  const project = createTeam({
    lead: { default: { reply: 'Answer {{ round }}.' } },
    worker: [{ reply: 'Worker.' }],
  })
  const short = ['--ttl', '5', '--approve-all']
  expect((await run(project, ['sessions', 'new'])).code).toBe(0)
  expect((await run(project, [...short, 'prompt', 'One'])).stdout).toContain('Answer 1.')
  expect((await run(project, [...short, 'prompt', 'Two'])).stdout).toContain('Answer 2.')
  expect((await run(project, ['set', 'agent', 'worker'])).stdout).toContain('agent=worker')
  expect((await run(project, [...short, 'prompt', 'Three'])).stdout).toContain('Worker.')
  expect((await run(project, ['set-mode', 'read-only'])).stdout).toContain('read-only')
  const listed = await run(project, ['sessions', 'list'])
  const [first] = project.sessions().sort()
  expect(listed.stdout.trim().split('\n')).toHaveLength(1)
  expect(listed.stdout).toContain(`${first}\tOne`)
  expect((await run(project, ['sessions', 'close'])).code).toBe(0)
})

test('a cancel stops the turn', async () => {
  const project = createTeam({
    lead: [{ calls: [{ tool: 'execute_command', input: { command: 'sleep 600' } }] }, { reply: 'Never.' }],
  })
  expect((await run(project, ['sessions', 'new'])).code).toBe(0)
  const turn = run(project, ['--ttl', '5', '--approve-all', '--format', 'json', 'prompt', 'Wait.'])
  await until(() => project.sessions().some((id) => journalOf(project, id).includes('call.started')))
  expect((await run(project, ['cancel'])).code).toBe(0)
  expect((await turn).stdout).toContain('"stopReason":"cancelled"')
  await run(project, ['sessions', 'close'])
})

test.runIf(hasScript)(
  'one run: driven from acpx, approved by a file, killed, resumed in a terminal, is one journal and one trace',
  async () => {
    const receiver = await startReceiver()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }
    const project = createTeam({
      lead: [{ calls: [delegate('worker', 'Write two files.')] }, { reply: 'All done.' }],
      worker: [
        write,
        { calls: [{ tool: 'write_file', input: { path: 'b.txt', content: 'y\n' } }] },
        report('Both are written.'),
      ],
    })
    // In a terminal, acpx asks the person and waits.
    const line = [process.execPath, acpx, '--agent', `sh ${project.at('agent.sh')}`, '--no-fs', 'exec', 'Go.']
    const terminal = spawn('script', ['-qec', line.map((word) => `'${word}'`).join(' '), '/dev/null'], {
      cwd: project.path,
      env: environmentOf(project, env),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    onTestFinished(() => void terminal.kill('SIGKILL'))
    terminal.stdout.resume()
    const form = '.cadre/tasks/approvals.task.md'
    await until(() => project.exists(form) && project.read(form).includes('[_]'))
    writeFileSync(project.at(form), project.read(form).replace('[_]', '[x]'))
    await until(() => project.exists('a.txt') && /- \[_\][\s\S]*b\.txt/.test(project.read(form)))

    process.kill(Number(readFileSync(project.at('agent.pid'), 'utf8')), 'SIGKILL')
    await once(terminal, 'close')
    expect(project.exists('b.txt')).toBe(false)
    const [pending] = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as { id: string }[]
    await project.cadre(['approve', pending?.id as string])
    const root = project.sessions().find((id) => id.startsWith('acp-')) as string
    const resumed = await project.cadre(['resume', root], { env, ownProcess: true })
    expect(resumed.stdout).toContain('All done.')

    expect(project.read('a.txt') + project.read('b.txt')).toBe('x\ny\n')
    expect(project.sessions().filter((id) => id.startsWith('acp-'))).toEqual([root])
    expect(project.sessions()).toHaveLength(2)
    expect(receiver.faults).toEqual([])
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(receiver.spans.map(({ name }) => name)).toContain('invoke_agent lead')
  },
)

function journalOf(project: Project, id: string): string {
  return project.read(path.join('.cadre', 'sessions', `${id}.session.yaml`))
}
