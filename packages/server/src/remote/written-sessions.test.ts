import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AgentDefinition, CadreError } from '@cadre/core'
import { markUnsandboxedCommand, noteDoubt } from '@cadre/home'
import { scriptedModels } from '@cadre/testing'
import { expect, test } from 'vitest'
import { temporaryHome } from '../daemon/daemon.spec-helpers.ts'
import { DeliveryQueue, isQueuedOrder } from '../sessions/delivery-queue.ts'
import { WrittenSessions } from './written-sessions.ts'

const writer: AgentDefinition = { name: 'writer', description: '', prompt: '', tools: { kind: 'all' } }
const models = scriptedModels({})
const agents = { get: (name: string) => (name === 'writer' ? writer : undefined), list: () => [writer] }

function openWritten({ home, workspace } = temporaryHome(), hasCheckouts = false) {
  const queue = new DeliveryQueue(home, isQueuedOrder)
  queue.load()
  const served: string[] = []
  const written = new WrittenSessions({
    home,
    deliveries: {
      queueStart(request) {
        if (queue.of(request.id).length === 0) queue.add({ kind: 'start', request })
        return true
      },
      // What a worker could see at this moment.
      serveAll: () => void served.push(...queue.sessions().filter((session) => !existsSync(pathOf(session)))),
    },
    parts: () => ({ parts: { agents, models } }) as never,
    hasCheckouts,
    requirePlace(session, folder) {
      if (folder === '/etc') throw new CadreError('configuration', `${session} may not work in /etc.`)
    },
    note: () => {},
    report: () => {},
  })
  const pathOf = (session: string) => `${home.folder('sessions')}/${session}.session.yaml`
  const write = (session: string, text: string) => writeFileSync(pathOf(session), text)
  const starts = () => queue.of('note').map(({ request }) => request)
  return { home, workspace, queue, written, served, pathOf, write, starts }
}

const text = 'agent_id: writer\nmessages:\n  - role: user\n    content: Write it down.\n'

test('moves the file, and sends the request only after that', async () => {
  const { home, written, served, pathOf, write, starts } = openWritten()
  write('note', text)
  expect(await written.start('note')).toBe(true)
  expect(starts()).toEqual([
    {
      kind: 'start',
      request: {
        id: 'note',
        agent: 'writer',
        work: { content: 'Write it down.' },
        workspace: home.at('workspaces', 'writer'),
      },
    },
  ])
  expect(served).toEqual(['note'])
  expect(existsSync(pathOf('note'))).toBe(false)
  expect(readFileSync(`${pathOf('note')}.orig`, 'utf8')).toBe(text)
})

test('uses no folder of the home if each tree has a checkout, unless the file names one', async () => {
  const { written, write, starts } = openWritten(temporaryHome(), true)
  write('note', text)
  await written.start('note')
  expect(starts()).toEqual([
    { kind: 'start', request: { id: 'note', agent: 'writer', work: { content: 'Write it down.' } } },
  ])
})

test('takes over the model, the workspace, the controls and earlier messages', async () => {
  const { written, write, starts } = openWritten()
  write(
    'note',
    `agent_id: writer
model: openai:gpt-x
metadata:
  workspace: /elsewhere
  controls: { readOnly: true }
messages:
  - { role: user, content: Hello }
  - { role: assistant, content: Hi. }
  - { role: user, content: Go on. }
`,
  )
  await written.start('note')
  expect(starts()).toMatchObject([
    {
      request: {
        model: 'openai:gpt-x',
        workspace: '/elsewhere',
        controls: { readOnly: true },
        history: [
          { role: 'user', content: 'Hello' },
          { role: 'assistant', content: 'Hi.' },
        ],
        work: { content: 'Go on.' },
      },
    },
  ])
})

test('queues one start if the process was killed before it moved the file', async () => {
  const first = openWritten()
  first.write('note', text)
  first.queue.add({
    kind: 'start',
    request: { id: 'note', agent: 'writer', work: { content: 'Write it down.' } },
  })
  const second = openWritten(first)
  expect(await second.written.start('note')).toBe(true)
  expect(second.starts()).toHaveLength(1)
  expect(second.served).toEqual(['note'])
})

test.each([
  ['system_prompt', 'system_prompt: You obey.\n', /it sets system_prompt\./],
  ['tools', 'metadata: { tools: [read_file] }\n', /it sets metadata\.tools\./],
  ['limits', 'metadata: { limits: { maxRounds: 3 } }\n', /it sets metadata\.limits\./],
  ['a key of its own', 'priority: high\n', /it sets priority\./],
])('does not start a session whose file has %s, which a worker would ignore', async (_, extra, message) => {
  const { written, write, starts, pathOf } = openWritten()
  write('note', extra + text)
  await expect(written.start('note')).rejects.toThrow(message)
  expect(starts()).toEqual([])
  expect(existsSync(pathOf('note'))).toBe(true)
})

test('does not move the file of a session that may not work in its folder', async () => {
  const { written, write, starts, pathOf } = openWritten()
  write('note', `metadata: { workspace: /etc }\n${text}`)
  await expect(written.start('note')).rejects.toThrow('note may not work in /etc.')
  expect(starts()).toEqual([])
  expect(existsSync(pathOf('note'))).toBe(true)
  write('note', text)
  expect(await written.start('note')).toBe(true)
  expect(starts()).toHaveLength(1)
})

test('does not start an unknown agent', async () => {
  const { written, write, starts } = openWritten()
  write('note', text.replace('writer', 'writter'))
  await expect(written.start('note')).rejects.toThrow('Did you mean writer?')
  expect(starts()).toEqual([])
})

test('does not start a session from a file that an agent could have written', async () => {
  const { home, written, write, starts } = openWritten()
  write('note', text)
  noteDoubt(home, 'note')
  await expect(written.start('note')).rejects.toThrow(CadreError)
  expect(starts()).toEqual([])
})

test('waits while a command runs without a sandbox', async () => {
  const { home, written, write, starts } = openWritten()
  write('note', text)
  const end = markUnsandboxedCommand(home, 'test')
  expect(await written.start('note')).toBe(true)
  await written.retry()
  expect(starts()).toEqual([])
  end()
  await written.retry()
  expect(starts()).toHaveLength(1)
})

test('leaves sessions that have started, and files without a message, alone', async () => {
  const { home, written, write, starts } = openWritten()
  write('note', `created: '2026-01-01T00:00:00.000Z'\n${text}`)
  expect(await written.start('note')).toBe(false)
  write('note', `metadata: { engine_place: lab }\n${text}`)
  expect(await written.start('note')).toBe(false)
  write('note', text.replace('role: user', 'role: assistant'))
  expect(await written.start('note')).toBe(false)
  expect(await written.start('absent')).toBe(false)
  expect(starts()).toEqual([])
  expect(readdirSync(home.at('sessions'))).toEqual(['note.session.yaml'])
})
