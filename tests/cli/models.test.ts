import { answers, startWire } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createProject } from './support/project.ts'

async function serve(models: readonly string[]) {
  const wire = await startWire(answers.reply({ text: 'ok' }), { models })
  onTestFinished(() => wire.close())
  return wire
}

test("lists the configured server's models, with known facts, and the default", async () => {
  const wire = await serve(['small', 'large'])
  const project = createProject({
    '.cadre/config.yaml': {
      model: 'openai:large',
      models: { 'openai:large': { window: 200_000, maxOutput: 8000, price: { input: 1.5, output: 6 } } },
    },
    '.config/cadre/policy.yaml': { models: { allow: ['large'] } },
  })
  const env = { OPENAI_BASE_URL: wire.url }
  const { code, stdout } = await project.cadre(['models'], { env })
  expect(stdout).toMatch(/^MODEL +CONTEXT +MAX OUTPUT +PRICE +PREMIUM REQUESTS$/m)
  expect(stdout).toMatch(/^openai:small +denied by a policy$/m)
  expect(stdout).toMatch(/^openai:large +200k +8\.0k +\$1\.5 \/ \$6 +default$/m)
  expect(code).toBe(0)
  const { stdout: json } = await project.cadre(['models', '--json'], { env })
  expect(JSON.parse(json)).toEqual([
    { id: 'openai:small', default: false, refused: true },
    { id: 'openai:large', window: 200_000, maxOutput: 8000, price: { input: 1.5, output: 6 }, default: true },
  ])
})

test('shows a default that no server lists', async () => {
  const project = createProject({ 'p.yaml': { lanes: { '*': [{ reply: 'x' }] } } })
  const { stdout } = await project.cadre(['models', '--json', '--model', 'scripted:p.yaml'])
  expect(JSON.parse(stdout)).toEqual([{ id: `scripted:${project.at('p.yaml')}`, default: true }])
})

test('reports why a server lists none, and exits with 5', async () => {
  const { code, stdout, stderr } = await createProject().cadre(['models'], {
    env: { OPENAI_BASE_URL: 'http://127.0.0.1:1' },
  })
  expect(stdout).toBe('')
  expect(stderr).toBe(
    'cadre: cannot list the models on http://127.0.0.1:1: the connection failed with ECONNREFUSED. Is the server running? Check OPENAI_BASE_URL, or openai.baseUrl in config.yaml.\n',
  )
  expect(code).toBe(5)
})

test('explains how to get models if nothing is configured', async () => {
  const { code, stdout } = await createProject().cadre(['models'])
  expect(stdout).toMatch(/^No backend is configured\. "cadre setup" finds one/)
  expect(code).toBe(0)
})
