import { mkdirSync, readdirSync } from 'node:fs'
import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
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

async function run(
  project: Project,
  program: RealProgram,
  server: Awaited<ReturnType<typeof serveModel>>,
  args: readonly string[],
) {
  const { env, command } = program.settings(project, server)
  project.write('user/.config/cadre/config.yaml', { acp: { programs: { [program.name]: { command } } } })
  const ended = await project.cadre(
    ['run', '--model', `acp:${program.name}`, '--trust', '--json', '--no-human', ...args],
    { cwd: project.at('work'), env: { ...env, HOME: project.at('user') }, ownProcess: true },
  )
  return { ...ended, outside: readdirSync(project.at('outside')) }
}

describe.each(realPrograms)('$name as the model of a session', (program) => {
  it('works with the tools of Cadre, and each call is judged and recorded', async () => {
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
    expect(ended.stderr).toBe('')
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

  it('cannot use its own tools, subagents or files of the project', async () => {
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
})
