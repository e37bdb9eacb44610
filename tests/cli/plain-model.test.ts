import { answers, startWire } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createProject } from './support/project.ts'

const agent = (name: string, more: object = {}) => ({
  name,
  systemPrompt: 'You coordinate the work of other agents.',
  description: 'Coordinates',
  useFor: 'Everything',
  delegationPermissions: { type: 'all' },
  toolPermissions: { type: 'specific', tools: ['delegateWork', 'reportOut'] },
  ...more,
})

const settings = {
  'copilotMultiAgent.entryAgent': 'coordinator',
  'copilotMultiAgent.agents': [
    agent('coordinator'),
    agent('reviewer', { delegationPermissions: { type: 'none' } }),
  ],
}

const file = '---\nname: coordinator\ndescription: Coordinates\nmodel: small\n---\nYou coordinate.\n'

/** Like many small servers, it rejects every request with tools. */
async function serverWithoutTools() {
  const wire = await startWire(
    ({ body }) => {
      const { tools } = body as { tools?: unknown[] }
      return tools === undefined
        ? answers.reply({ text: 'a plain answer' })
        : answers.problem(400, 'registry/library/small does not support tools')
    },
    { models: ['small'] },
  )
  onTestFinished(wire.close)
  return wire
}

test.each([
  ['settings', { '.vscode/settings.json': settings }],
  ['a file', { '.github/agents/coordinator.agent.md': file }],
])('the plain model answers for an entry agent of %s whose model has no tools', async (_, files) => {
  const wire = await serverWithoutTools()
  const project = createProject(files)
  const env = { OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:small' }
  const args = ['run', '--trust', 'Say hello']
  const json = await project.cadre([...args, '--json'], { env })
  expect(json.code).toBe(0)
  const report = json.json().find(({ type }) => type === 'report')
  expect(report).toMatchObject({
    agent: 'plain',
    status: 'completed',
    text: 'a plain answer',
    model: 'openai:small',
  })
  expect(JSON.stringify(report?.['notices'])).toMatch(/coordinator could not start .*does not support tools/)
  const shown = await project.cadre(args, { env })
  expect(shown.stdout).toContain('a plain answer')
  expect(shown.stderr + shown.stdout).toMatch(/the model answered alone/)
})
