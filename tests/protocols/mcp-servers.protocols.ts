/** The official MCP servers, as users configure them. */
import { expect, test } from 'vitest'
import { programsWithout } from '../cli/support/programs.ts'
import { agentFile, createProject, type Project } from '../cli/support/project.ts'
import { protocolProgram } from './support/protocol-program.ts'

const node = process.execPath
const official = (name: string) => protocolProgram(`@modelcontextprotocol/server-${name}/dist/index.js`)

interface Folders {
  readonly project: Project
  readonly env: { readonly HOME: string }
}

function folders(files: Readonly<Record<string, string | object>> = {}): Folders {
  const user = createProject()
  const project = createProject({ ...agentFile('lead'), 'src/a.txt': 'hello', ...files })
  const server = (name: string, args: readonly string[] = [], more: object = {}) => ({
    [name]: { command: node, args: [official(name), ...args], ...more },
  })
  user.write('.config/cadre/config.yaml', {
    mcp: {
      servers: {
        ...server('everything', ['stdio'], { effects: 'read' }),
        ...server('filesystem', [project.path], { effects: { '*': 'write', read_text_file: 'read' } }),
        ...server('memory', [], { env: { MEMORY_FILE_PATH: user.at('memory.json') } }),
        ...server('sequential-thinking'),
      },
    },
  })
  return { project, env: { HOME: user.path } }
}

test.each([
  ['everything', 10],
  ['filesystem', 14],
  ['memory', 9],
  ['sequential-thinking', 1],
])('"cadre mcp test %s" lists its tools', async (name, count) => {
  const { project, env } = folders()
  const { code, json, stderr } = await project.cadre(['mcp', 'test', name, '--json'], { env })
  expect([code, stderr]).toEqual([0, ''])
  const [line] = json() as { tools: object[]; revision: string }[]
  expect(line?.tools.length).toBeGreaterThanOrEqual(count)
  expect(line?.revision).toBe('2025-11-25')
})

test('agents call them: text, images, progress, files inside and outside, and what is protected', async () => {
  const call = (tool: string, input: object) => ({ calls: [{ tool: `mcp__${tool}`, input }] })
  const { project, env } = folders()
  const at = (file: string) => project.at(file)
  project.write('p.yaml', {
    lanes: {
      lead: [
        call('everything__echo', { message: 'hi' }),
        call('everything__get-sum', { a: 2, b: 3 }),
        call('everything__get-tiny-image', {}),
        call('everything__get-structured-content', { location: 'New York' }),
        call('everything__trigger-long-running-operation', { duration: 1, steps: 4 }),
        call('filesystem__read_text_file', { path: at('src/a.txt') }),
        call('filesystem__write_file', { path: at('src/b.txt'), content: 'new' }),
        call('filesystem__write_file', { path: at('.github/hooks/evil.json'), content: '{}' }),
        call('filesystem__write_file', { path: at('../evil.txt'), content: 'x' }),
        { reply: 'Done.' },
      ],
    },
  })
  const { json } = await project.cadre(
    [
      'run',
      '--json',
      '--agent',
      'lead',
      '--model',
      'scripted:p.yaml',
      '--no-human',
      '--allow',
      'write',
      'Go.',
    ],
    { env },
  )
  const settled = json().filter(({ type }) => type === 'call.settled')
  expect(settled).toMatchObject([
    { outcome: 'done', content: 'Echo: hi' },
    { outcome: 'done', content: expect.stringContaining('5') },
    { outcome: 'done' },
    { outcome: 'done', content: expect.stringContaining('temperature') },
    { outcome: 'done', content: expect.stringContaining('completed') },
    { outcome: 'done', content: 'hello' },
    { outcome: 'done' },
    { outcome: 'refused' },
    { outcome: 'refused' },
  ])
  expect([project.read('src/b.txt'), project.exists('.github')]).toEqual(['new', false])
})

test('a server of the project starts only after trust', async () => {
  // The sandbox hides the folder with the official servers.
  const PATH = programsWithout('bwrap')
  const { project, env } = folders({
    '.mcp.json': { mcpServers: { files: { command: node, args: [official('filesystem'), '.'] } } },
  })
  const before = await project.cadre(['mcp', 'test', 'files'], { env })
  expect([before.code, before.stderr]).toEqual([2, expect.stringContaining('this folder is not trusted')])
  const { code, stdout } = await project.cadre(['mcp', 'test', 'files', '--trust'], { env: { ...env, PATH } })
  expect([code, stdout]).toEqual([0, expect.stringContaining('read_text_file')])
})
