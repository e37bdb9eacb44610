import { answers, startWire, type WireRequest } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createProject } from './support/project.ts'

const agent = '---\nname: reviewer\ndescription: Reviews\nmodel: Claude Sonnet 4\n---\nReview.\n'

async function serve(models: readonly string[]) {
  const wire = await startWire(answers.reply({ text: 'fine' }), { models })
  onTestFinished(() => wire.close())
  return { wire, env: { OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:house' } }
}

test('an agent whose model is missing uses the default, and the session records it', async () => {
  const { wire, env } = await serve(['house'])
  const project = createProject({ '.github/agents/reviewer.agent.md': agent })
  const { code, json } = await project.cadre(['run', '--agent', 'reviewer', '--trust', '--json', 'go'], {
    env,
  })
  expect(code).toBe(0)
  const report = json().at(-1) as {
    model: string
    session: string
    notices: { code: string; message: string }[]
  }
  expect(report.model).toBe('openai:house')
  expect(report.notices.map(({ message }) => message).join('\n')).toMatch(
    /reviewer asks for the model "Claude Sonnet 4", but it is unknown: .* It runs on the default model openai:house instead/,
  )
  expect(project.read(`.cadre/sessions/${report.session}.session.yaml`)).toContain('asks for the model')
  const shown = await project.cadre(['agents', 'show', 'reviewer', '--trust'], { env })
  expect(shown.stdout).toMatch(/openai:house.*instead of Claude Sonnet 4/)
  const lint = await project.cadre(['lint'], { env })
  expect(lint.stdout).toContain('runs on the default model, unless a policy forbids it')
  // A session whose model no longer exists also continues with the default.
  await wire.close()
  const later = await serve(['new'])
  const again = await project.cadre(['resume', report.session, '--trust', '--json', 'and now?'], {
    env: { ...later.env, CADRE_MODEL: 'openai:new' },
  })
  expect(again.json().at(-1)).toMatchObject({ status: 'completed', model: 'openai:new' })
})

test('a chat reports once that an agent uses the default model', async () => {
  const { env } = await serve(['house'])
  const project = createProject({ '.github/agents/reviewer.agent.md': agent })
  const { stdout } = await project.cadre(['chat', '--agent', 'reviewer', '--trust'], {
    env,
    input: 'one\ntwo\n',
  })
  expect(stdout.match(/^completed/gm)).toHaveLength(2)
  expect(stdout.match(/note: reviewer asks for the model/g)).toHaveLength(1)
})

test('a policy can forbid it, and a model that a person names is never replaced', async () => {
  const { env } = await serve(['house'])
  const project = createProject({
    '.github/agents/reviewer.agent.md': agent,
    '.config/cadre/policy.yaml': { models: { fallback: false } },
  })
  const denied = await project.cadre(['run', '--agent', 'reviewer', '--trust', 'go'], { env })
  expect(denied.stderr).toMatch(/no other model may be used instead \(models\.fallback, .*policy\.yaml:\d+\)/)
  expect(denied.code).toBe(2)
  const named = await createProject().cadre(['run', '--model', 'openai:other', 'go'], { env })
  expect(named.code).toBe(2)
})

test('thinking that must be sent back survives the session file', async () => {
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
  const message = (blocks: object[], stop_reason: string) =>
    answers.raw([
      event({ type: 'message_start', message: { model: 'claude', usage: { input_tokens: 1 } } }),
      ...blocks.map((content_block, index) => event({ type: 'content_block_start', index, content_block })),
      event({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } }),
      event({ type: 'message_stop' }),
    ])
  const thinking = { type: 'thinking', thinking: 'Look\nfirst: "here" # so', signature: 'EqQB+/==' }
  const wire = await startWire(
    ({ number }: WireRequest) =>
      number === 1
        ? message(
            [thinking, { type: 'tool_use', id: 't1', name: 'list_directory', input: { path: '.' } }],
            'tool_use',
          )
        : message([{ type: 'text', text: `answer ${number}` }], 'end_turn'),
    { models: ['claude-sonnet-4-5'] },
  )
  onTestFinished(() => wire.close())
  const project = createProject()
  const env = { ANTHROPIC_BASE_URL: new URL(wire.url).origin, CADRE_MODEL: 'anthropic:claude-sonnet-4-5' }
  const { json } = await project.cadre(['run', '--json', 'look'], { env })
  const { session } = json().at(-1) as { session: string }
  await project.cadre(['resume', session, 'again'], { env })
  const sent = wire.requests.map(
    ({ body }) => (body as { messages: { content: object[] }[] }).messages[1]?.content[0],
  )
  expect(sent).toEqual([undefined, thinking, thinking])
})
