import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { skipWithoutSandbox } from '../support/skip-without-sandbox.ts'
import { type RealProgram, realPrograms } from './support/agent-programs.ts'
import { serveModel } from './support/model-server.ts'

/** Cadre runs trusted hooks of the project itself; these act only if the program runs them. */
function inProgram(name: string): string {
  return `test -z "$CADRE_ACP_PROGRAM" || touch ../outside/${name}`
}

/** A project in a folder of its own, with a user home and a folder outside the workspace. */
function createWorld(): Project {
  const project = createProject({
    // Files that programs load or run in the folder in which they work.
    'work/.github/hooks/evil.json': {
      version: 1,
      hooks: { sessionStart: [{ type: 'command', bash: inProgram('hook') }] },
    },
    'work/.mcp.json': { mcpServers: { evil: { command: 'touch', args: ['../outside/mcp'] } } },
    'work/.github/agents/evil.agent.md':
      '---\nname: evil\ndescription: d\nmcp-servers:\n  e: { command: touch, args: [../outside/agent] }\n---\nHi\n',
    'work/opencode.json': { mcp: { evil: { type: 'local', command: ['touch', '../outside/opencode'] } } },
    'work/.claude/settings.json': {
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: inProgram('claude') }] }] },
    },
    'user/.config/cadre/config.yaml': {},
  })
  mkdirSync(project.at('outside'))
  return project
}

type Server = Awaited<ReturnType<typeof serveModel>>

function optionsFor(project: Project, program: RealProgram, server: Server) {
  const { env, command } = program.settings(project, server)
  project.write('user/.config/cadre/config.yaml', { acp: { programs: { [program.name]: { command } } } })
  return { cwd: project.at('work'), env: { ...env, HOME: project.at('user') }, ownProcess: true }
}

function cadre(project: Project, program: RealProgram, server: Server, args: readonly string[]) {
  return project.cadre(args, optionsFor(project, program, server))
}

async function run(
  project: Project,
  program: RealProgram,
  server: Server,
  args: readonly string[],
  flags: readonly string[] = ['--no-human'],
) {
  const whole = ['run', '--model', `acp:${program.name}`, '--trust', '--json', ...flags, ...args]
  const ended = await cadre(project, program, server, whole)
  return { ...ended, outside: readdirSync(project.at('outside')) }
}

describe.each(realPrograms)('$name as the model of a session', (program) => {
  it('works with the tools of Cadre, and each call is judged and recorded', async (context) => {
    // Cadre starts the servers of a trusted folder in the sandbox, where they fail. Without it, they write to the folder outside.
    await skipWithoutSandbox(context)
    const project = createWorld()
    const server = await serveModel([
      { calls: [{ name: program.tool('write_file'), input: { path: 'made.txt', content: 'hello' } }] },
      {
        text: 'I read it twice.',
        calls: [
          { name: program.tool('read_file'), input: { path: 'made.txt' } },
          { name: program.tool('read_file'), input: { path: 'opencode.json' } },
        ],
      },
      { text: 'All done.' },
    ])
    const ended = await run(project, program, server, ['--allow', 'write', 'Make a file.'])
    expect(ended.stderr.replace(/^cadre: Agents cannot use the MCP server (evil|e): .*\n/gm, '')).toBe('')
    const events = ended.json()
    expect(events.at(-1)).toMatchObject({
      status: 'completed',
      text: 'All done.',
      model: `acp:${program.name}`,
    })
    expect(project.read('work/made.txt')).toBe('hello')
    expect(events.filter(({ type }) => type === 'call.judged')).toHaveLength(3)
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('hello')
    expect(ended.outside).toEqual([])
  })

  it('cannot use its own tools, subagents or files of the project', async (context) => {
    await skipWithoutSandbox(context)
    const project = createWorld()
    const file = project.at('outside/escaped')
    const server = await serveModel([
      ...program.own(file).map((call) => ({ calls: [call] })),
      { calls: [{ name: program.tool('write_file'), input: { path: file, content: 'x' } }] },
      { calls: [{ name: program.tool('execute_command'), input: { command: `touch ${file}` } }] },
      { text: 'I gave up.' },
    ])
    const ended = await run(project, program, server, ['--allow', 'write', '/yolo write outside'])
    expect(ended.outside).toEqual([])
    expect(ended.json().at(-1)).toMatchObject({ text: 'I gave up.' })
    for (const { tools } of server.asked) expect(tools.filter((name) => !name.includes('cadre'))).toEqual([])
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toMatch(/outside the workspace/)
  })

  it('does not read files that a message mentions', async () => {
    const project = createWorld()
    project.write('outside/secret.txt', 'the-secret-content')
    const server = await serveModel([{ text: 'Done.' }])
    const path = project.at('outside/secret.txt')
    const ended = await run(project, program, server, [`Look at @${path} and #${path} and @"${path}"`])
    expect(ended.json().at(-1)).toMatchObject({ text: 'Done.' })
    expect(JSON.stringify(server.asked)).toContain('Look at')
    expect(JSON.stringify(server.asked)).not.toContain('the-secret-content')
  })

  it('reports a failure of its model server as a failure', async () => {
    const project = createWorld()
    const server = await serveModel([], answers.problem(401, 'the key was rejected'))
    const ended = await run(project, program, server, ['Hello'])
    expect(ended.json().at(-1)).toMatchObject({
      status: 'error',
      notices: expect.arrayContaining([expect.objectContaining({ code: 'backend' })]),
    })
  })

  it('waits for an approval in another process, and continues with what came before', async () => {
    const project = createWorld()
    const server = await serveModel([
      { calls: [{ name: program.tool('execute_command'), input: { command: 'touch approved.txt' } }] },
      { text: 'It exists.' },
    ])
    const waiting = await run(project, program, server, ['Make it.'], [])
    expect(waiting.code).toBe(3)
    expect(project.exists('work/approved.txt')).toBe(false)
    const [{ id, session }] = JSON.parse(
      (await cadre(project, program, server, ['approvals', '--json'])).stdout,
    )
    await cadre(project, program, server, ['approve', id])
    const later = await serveModel([{ text: 'It exists.' }])
    const resumed = await cadre(project, program, later, ['resume', '--trust', '--json', session])
    expect(resumed.json().at(-1)).toMatchObject({ status: 'completed', text: 'It exists.' })
    expect(project.exists('work/approved.txt')).toBe(true)
    expect(JSON.stringify(later.asked)).toContain('This conversation started earlier.')
  })

  it('ends with a killed Cadre, and a resumed session continues', async () => {
    const project = createWorld()
    const server = await serveModel([
      { calls: [{ name: program.tool('read_file'), input: { path: 'opencode.json' } }] },
      answers.hang(),
    ])
    const options = optionsFor(project, program, server)
    const running = project.start(
      ['run', '--model', `acp:${program.name}`, '--trust', '--json', 'Read it.'],
      options,
    )
    await until(() => server.asked.length === 2)
    running.child.kill('SIGKILL')
    await running.ended()
    await until(() => processesOf(project.at('user')).length === 0)
    const later = await serveModel([{ text: 'I read it.' }])
    const [session = ''] = readdirSync(project.at('work/.cadre/sessions'))
    const id = session.replace('.session.yaml', '')
    const resumed = await cadre(project, program, later, ['resume', '--trust', '--json', id])
    expect(resumed.json().at(-1)).toMatchObject({ status: 'completed', text: 'I read it.' })
  })
})

/** Programs that a user's Cadre has started. */
function processesOf(home: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
      return (
        variables.includes(`HOME=${home}`) && variables.some((one) => one.startsWith('CADRE_ACP_PROGRAM='))
      )
    } catch {
      return false
    }
  })
}
