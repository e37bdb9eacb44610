import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { lastResults, resultCount, textOf, userText } from './support/fake-github.ts'
import { agentFile, openWorld } from './support/open-world.ts'

const reader = agentFile('reader', 'tools: [read]', 'You read files.')

it('answers with text, and counts tokens and the premium request', async () => {
  const world = await openWorld(() => ({ text: ['Hello ', 'there.'] }), reader)
  const runtime = await world.open()
  const report = await world.report(runtime, 'Say hello', 'reader')
  expect(report).toMatchObject({
    status: 'completed',
    text: 'Hello there.',
    model: 'copilot-ls:gpt-5',
    usage: { ...world.github.usage, premium: 1 },
  })
  const request = world.github.chats.at(-1)!
  expect(userText(request)).toContain('<system_instructions>\nYou read files.')
  expect(userText(request)).toContain('Say hello')
  expect(request.model).toBe('gpt-5')
})

it('runs a tool that the server calls in the loop of the session', async () => {
  const world = await openWorld(
    (request) =>
      resultCount(request) === 0
        ? { text: 'I will look.', calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }
        : { text: `It says ${lastResults(request).join()}` },
    { ...reader, 'a.txt': 'the secret word\n' },
  )
  const runtime = await world.open()
  const report = await world.report(runtime, 'What does a.txt say?', 'reader')
  expect(report.text).toContain('the secret word')
  expect(report.calls).toBe(1)
  // One user turn is one premium request, with any number of rounds.
  expect(report.usage).toEqual({ ...world.github.usage, premium: 1 })
  const journal = readFileSync(runtime.fileOf(report.session), 'utf8')
  expect(journal).toContain('I will look.')
  expect(journal).not.toMatch(/ghu_|tid=/)
  expect(journal).not.toContain('does not have')
})

it('runs three calls in one reply one after the other, and loses none', async () => {
  const world = await openWorld(
    (request) =>
      resultCount(request) === 0
        ? { calls: ['a', 'b', 'c'].map((name) => ({ name: 'read_file', input: { path: `${name}.txt` } })) }
        : { text: lastResults(request).join(' ') },
    { ...reader, 'a.txt': 'alpha', 'b.txt': 'beta', 'c.txt': 'gamma' },
  )
  const runtime = await world.open()
  const report = await world.report(runtime, 'Read them', 'reader')
  expect(report.text).toMatch(/alpha[\s\S]*beta[\s\S]*gamma/)
  expect(report.calls).toBe(3)
})

it('tells the model that it called an unknown tool, and runs nothing', async () => {
  const tools = [
    'read_file',
    'run_in_terminal',
    'fetch_webpage',
    'create_file',
    'run_subagent',
    'never_heard_of',
  ]
  const world = await openWorld(
    (request) =>
      resultCount(request) === 0
        ? {
            calls: tools.map((name) => ({
              name,
              input: {
                filePath: `${world.folder}/new.txt`,
                path: 'a.txt',
                command: `touch ${world.folder}/new.txt`,
                content: 'x',
              },
            })),
          }
        : { text: lastResults(request).join('\n') },
    { ...agentFile('thinker', 'tools: []', 'You think.'), 'a.txt': 'the secret word' },
  )
  const runtime = await world.open()
  const report = await world.report(runtime, 'Do it', 'thinker')
  expect(report.text).not.toContain('secret')
  for (const name of tools) expect(report.text).toContain(`Tool with name ${name} not found`)
  expect(() => readFileSync(path.join(world.folder, 'new.txt'))).toThrow('ENOENT')
  expect(world.github.chats.at(-1)?.tools ?? []).toEqual([])
  const journal = readFileSync(runtime.fileOf(report.session), 'utf8')
  expect(journal).toContain('called a tool that this agent does not have')
})

it('continues a conversation with a new turn, and after a restart from its messages', async () => {
  const world = await openWorld(
    (request) => ({ text: `seen ${request.messages.filter(({ role }) => role === 'assistant').length}` }),
    reader,
  )
  const runtime = await world.open()
  const first = await world.report(runtime, 'One', 'reader')
  const send = async (text: string, from = runtime) => {
    const result = await from.orchestrator.resume(first.session, { work: text }, new AbortController().signal)
    if (result.kind !== 'report') throw new Error('waits')
    return result.report
  }
  const second = await send('Two')
  expect(second.text).toBe('seen 1')
  const other = await world.open()
  const third = await send('/three', other)
  expect(third.text).toBe('seen 2')
  const texts = world.github.chats.at(-1)!.messages.map(textOf).join('\n')
  expect(texts).toContain('<user_message>\n/three')
})

it('summarises older rounds outside the conversation when the window is full, and continues', async () => {
  const long = 'many words '.repeat(600)
  const world = await openWorld(
    (request) => {
      const said = userText(request)
      if (said.includes('Summarise an agent')) {
        const isFirst = resultCount(request) === 0
        return { text: 'SUMMARY', calls: isFirst ? [{ name: 'read_file', input: { path: 'c.txt' } }] : [] }
      }
      if (said.includes('SUMMARY')) return { text: 'done after the summary' }
      return {
        calls: [{ name: 'read_file', input: { path: resultCount(request) % 2 === 0 ? 'a.txt' : 'b.txt' } }],
      }
    },
    {
      ...reader,
      'a.txt': long,
      'b.txt': long,
      'c.txt': 'never read',
      'home/.config/cadre/config.yaml': 'models: { "copilot-ls:gpt-5": { window: 9000 } }\n',
    },
  )
  const runtime = await world.open()
  const report = await world.report(runtime, 'Read on', 'reader')
  expect(report).toMatchObject({ status: 'completed', text: 'done after the summary' })
  expect(world.events.map(({ type }) => type)).toContain('context.compacted')
  // A request for a summary has no tools, whatever the model tries.
  expect(JSON.stringify(world.github.chats)).not.toContain('never read')
  expect(JSON.stringify(world.github.chats)).toContain('Tools are not available for this request')
})

it('shows images to a model that supports them', async () => {
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const world = await openWorld(
    ({ messages }) => ({ text: JSON.stringify(messages).includes(pixel) ? 'seen' : 'blind' }),
    reader,
  )
  world.github.models = [{ id: 'gpt-5', vision: true }, { id: 'gpt-4.1' }]
  const runtime = await world.open()
  const images = [{ mime: 'image/png', data: pixel }]
  const ask = async (model: string) => {
    const result = await runtime.run({ work: { content: 'Look', images }, agent: 'reader', model })
    return result.kind === 'report' ? result.report.text : ''
  }
  expect(await ask('copilot-ls:gpt-5')).toBe('seen')
  expect(await ask('copilot-ls:gpt-4.1')).toBe('blind')
})
