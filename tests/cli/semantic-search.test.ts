import { answers, startWire, type WireRequest } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createProject } from './support/project.ts'

/** A server with semantic search, whose vectors put felines next to cats. */
async function serve(hasEmbeddings: boolean, tokens = 1000) {
  const vectorOf = (text: string) => (/feline|\bcat\b/.test(text) ? [1, 0] : [0, 1])
  const answer = ({ path, body }: WireRequest) => {
    if (path.endsWith('/embeddings')) {
      if (!hasEmbeddings) return answers.problem(404, 'not here')
      const { input } = body as { input: string[] }
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }))
      return answers.raw([JSON.stringify({ data, usage: { prompt_tokens: tokens } })])
    }
    const { messages } = body as { messages: { role: string }[] }
    return messages.at(-1)?.role === 'tool'
      ? answers.reply({ text: 'done', usage: { input: 1, output: 1 } })
      : answers.reply({ calls: [{ name: 'search_files', input: { query: 'feline', mode: 'semantic' } }] })
  }
  const wire = await startWire(answer, { models: ['chat', 'text-embed'] })
  onTestFinished(() => wire.close())
  return wire
}

const files = {
  'src/a.md': '# Pets\n\nThe cat sleeps.\n',
  'src/b.md': '# Cars\n\nThe engine runs.\n',
  'private/c.md': 'A secret cat.\n',
  '.config/cadre/policy.yaml': { paths: { deny: { read: ['private/**'] } } },
}

const asked = (wire: Awaited<ReturnType<typeof serve>>) =>
  wire.requests.filter(({ path }) => path.endsWith('/embeddings'))

test('searches semantically with the endpoint of the model, without unreadable files', async () => {
  const wire = await serve(true)
  const project = createProject(files)
  const env = { OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:chat' }
  const { stdout, json } = await project.cadre(['run', '--json', 'find'], { env })
  expect(stdout).toContain('1. src/a.md')
  const report = json().at(-1) as { usage?: { input: number } }
  expect(report.usage?.input).toBeGreaterThanOrEqual(2000)
  const sent = JSON.stringify(asked(wire).map(({ body }) => body))
  expect(sent).toContain('The engine runs.')
  expect(sent).not.toContain('secret')
  // The second search sends only the question and what has changed.
  project.write('src/b.md', '# Cars\n\nThe motor runs.\n')
  const before = asked(wire).length
  await project.cadre(['run', '--json', 'find'], { env })
  const again = JSON.stringify(
    asked(wire)
      .slice(before)
      .map(({ body }) => body),
  )
  expect(again).toContain('motor')
  expect(again).not.toContain('sleeps')
})

test('embeddings spend from the run’s budget, which is never exceeded', async () => {
  const wire = await serve(true, 25_000)
  const env = { OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:chat' }
  const passages = Object.fromEntries(
    Array.from({ length: 64 }, (_, page) => [`${page}.md`, `# ${page}\n\n${'word '.repeat(190)}\n`]),
  )
  const project = createProject({
    ...passages,
    '.cadre/config.yaml': { models: { 'openai:chat': { maxOutput: 100 } } },
  })
  const run = (budget: number) =>
    project.cadre(['run', '--json', '--budget-tokens', String(budget), '--trust', 'find'], { env })
  // A request can use 32,000 tokens. With the conversation, the first one fits, and the second one does not.
  const small = await run(60_000)
  expect(small.stdout).toMatch(/semantic search failed: the budget of .* does not allow another request/)
  expect(asked(wire)).toHaveLength(1)
  expect((small.json().at(-1) as { usage: { input: number } }).usage.input).toBeGreaterThanOrEqual(25_000)
  const { session } = small.json().at(-1) as { session: string }
  expect(project.read(`.cadre/sessions/${session}.session.yaml`)).toContain('type: tokens.settled')
  const large = await run(1_000_000)
  expect(large.stdout).not.toContain('semantic search failed')
})

test('ranks by words, with a notice, if the endpoint has no embeddings or is another one than the conversation’s', async () => {
  const wire = await serve(false)
  const project = createProject(files)
  const env = { OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:chat' }
  expect((await project.cadre(['run', '--json', 'find'], { env })).stdout).toMatch(
    /semantic search failed: .*404.*ranked by words instead/,
  )
  const before = asked(wire).length
  project.write('p.yaml', {
    lanes: {
      '*': [{ calls: [{ tool: 'search_files', input: { query: 'cat', mode: 'semantic' } }] }, { reply: 'x' }],
    },
  })
  const other = await project.cadre(['run', '--json', '--model', 'scripted:p.yaml', 'find'], { env })
  expect(other.stdout).toContain('the default model is not on an endpoint with embeddings')
  expect(asked(wire)).toHaveLength(before)
})
