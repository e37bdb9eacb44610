import { answers, startWire } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { agentFile, createProject } from './support/project.ts'

/** A lead with the default model, and three helpers that each request a tier. */
const team = {
  ...agentFile('lead', { model: 'inherit' }),
  ...agentFile('small', { model: 'haiku', tools: ['read_file'] }),
  ...agentFile('middle', { model: ['sonnet', 'inherit'], tools: ['read_file'] }),
  ...agentFile('same', { model: 'inherit', tools: ['read_file'] }),
}

interface Body {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

/** Answers as the requested model, and first delegates to all three. */
async function serve(models: readonly string[]) {
  const wire = await startWire(
    ({ body }) => {
      const { model, messages } = body as Body
      const isLead = messages[0]?.content.startsWith('You are lead.')
      const isFirst = !messages.some(({ role }) => role === 'assistant')
      if (!isLead || !isFirst) return answers.reply({ text: `answered by ${model}`, model })
      const calls = ['small', 'middle', 'same'].map((subagent_type, index) => ({
        id: `call_${index}`,
        name: 'delegate_task',
        input: { subagent_type, prompt: 'Do it.', wait_for_result: true },
      }))
      return answers.reply({ calls, model })
    },
    { models },
  )
  onTestFinished(wire.close)
  return wire
}

async function run(files: Readonly<Record<string, string | object>>, models: readonly string[]) {
  const wire = await serve(models)
  const project = createProject({ ...team, ...files })
  const ended = await project.cadre(['run', '--json', '--trust', '--agent', 'lead', 'Do it.'], {
    env: { OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:big' },
  })
  expect(ended.stderr).toBe('')
  expect(ended.code).toBe(0)
  const asked = Object.fromEntries(
    wire.requests.map(({ body }) => {
      const { model, messages } = body as Body
      return [/You are (\w+)\./.exec(messages[0]?.content ?? '')?.[1], model]
    }),
  )
  const journals = Object.fromEntries(
    project
      .sessions()
      .map((id) => [id.replace(/-[^-]*$/, ''), project.read(`.cadre/sessions/${id}.session.yaml`)]),
  )
  return { asked, journals }
}

test('tiers resolve as configured, and the journal shows which model answered', async () => {
  const config = { aliases: { haiku: 'openai:gpt-mini', Sonnet: 'openai:gpt-middle' } }
  const { asked, journals } = await run({ '.cadre/config.yaml': config }, ['big', 'gpt-mini', 'gpt-middle'])
  expect(asked).toEqual({ lead: 'big', small: 'gpt-mini', middle: 'gpt-middle', same: 'big' })
  for (const [agent, model] of Object.entries(asked)) {
    expect(journals[String(agent)]).toMatch(new RegExp(`model: '?openai:${model}'?$`, 'm'))
    expect(journals[String(agent)]).toMatch(new RegExp(`model: '?${model}'?$`, 'm'))
  }
})

test('a policy takes precedence', async () => {
  const { asked } = await run(
    {
      '.cadre/config.yaml': { aliases: { haiku: 'openai:gpt-mini', sonnet: 'openai:gpt-middle' } },
      '.config/cadre/policy.yaml': { models: { aliases: { haiku: 'openai:tiny' } } },
    },
    ['big', 'gpt-mini', 'gpt-middle', 'tiny'],
  )
  expect(asked).toMatchObject({ small: 'tiny', middle: 'gpt-middle' })
})

test('otherwise they are the newest of their family, and inherit is the model of the parent', async () => {
  const { asked } = await run({}, ['big', 'claude-haiku-4.5', 'claude-haiku-3.5'])
  expect(asked).toEqual({ lead: 'big', small: 'claude-haiku-4.5', middle: 'big', same: 'big' })
})
