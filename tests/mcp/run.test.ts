import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { serverScript } from '../../packages/mcp/src/server-script.spec-helpers.ts'
import { agentFile, createProject, type Project } from '../cli/support/project.ts'

const env = (project: Project) => ({ HOME: project.at('user') })
const playbook = (...replies: object[]) => ({ 'p.yaml': { lanes: { lead: replies } } })
const add = { calls: [{ tool: 'mcp__calc__add', input: { a: 1, b: 2 } }] }
const base = { 'user/.keep': '', 'user/tools/calc.cjs': serverScript() }
const own = (more: object = {}) => ({
  'user/.config/cadre/config.yaml': {
    mcp: { servers: { calc: { command: process.execPath, args: ['tools/calc.cjs'], ...more } } },
  },
})

async function run(project: Project, ...flags: string[]) {
  const ended = await project.cadre(
    ['run', '--json', '--agent', 'lead', '--model', 'scripted:p.yaml', '--no-human', ...flags, 'Go.'],
    { env: env(project) },
  )
  const lines = ended.json()
  const results = lines.filter(({ type }) => type === 'call.settled')
  return { ...ended, lines, results }
}

test('an agent calls the tool of a server in the configuration of the user', async () => {
  const project = createProject({
    ...base,
    ...own({ effects: 'read' }),
    ...agentFile('lead'),
    ...playbook(add, { reply: 'Done.' }),
  })
  const first = await run(project)
  console.log(first.stdout, first.stderr)
  expect(first.results).toMatchObject([{ outcome: 'done', content: '3' }])
  expect(first.stderr).toContain('Cadre uses the MCP server calc for the first time and approved its tool.')
})
