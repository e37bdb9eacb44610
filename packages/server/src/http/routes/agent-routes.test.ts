import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { writeSession } from '../page.spec-helpers.ts'
import { hostileNames, startTestServer } from './routes.spec-helpers.ts'

it('lists and describes agents, checks their files and explains calls like the commands', async () => {
  const { client, ask } = await startTestServer({
    prepare(home, workspace) {
      const folder = path.join(workspace, '.github', 'agents')
      mkdirSync(folder, { recursive: true })
      writeFileSync(
        path.join(folder, 'reader.agent.md'),
        '---\nname: reader\ndescription: Reads\ntools: [read]\nunknwon: 1\n---\nYou read.\n',
      )
      home.folder('templates')
    },
  })
  const { items } = await client.listAgents()
  expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['reader', 'worker', 'assistant']))
  const agent = await client.getAgent({ params: { name: 'reader' } })
  expect(agent).toMatchObject({ name: 'reader', description: 'Reads', boundary: expect.anything() })
  await expect(client.getAgent({ params: { name: 'redaer' } })).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining('Did you mean'),
  })
  const lint = await client.lint()
  expect(lint).toMatchObject({ files: expect.any(Array), summary: { files: expect.any(Number) } })
  const body = { agent: 'reader', tool: 'write_file', input: { path: 'x', content: 'y' } }
  expect(await client.explain({ body })).toMatchObject({ decision: 'deny', chain: ['reader'] })
  expect(await client.explain({ body: { ...body, tool: 'read_file', input: { path: 'x' } } })).toMatchObject({
    decision: 'allow',
  })
  await expect(client.explain({ body: { ...body, depth: 'a>>b' } })).rejects.toMatchObject({ status: 400 })
  for (const name of hostileNames.slice(0, 4)) {
    const { status } = await ask(`/api/agents/${name}`)
    expect([name, [400, 404].includes(status)]).toEqual([name, true])
  }
})

it('shows the field of a task that contains the text, and not the others', async () => {
  const { client } = await startTestServer({
    prepare(home) {
      mkdirSync(home.at('tasks'), { recursive: true })
      writeFileSync(
        home.at('tasks', 'a.task.md'),
        '- [ ] Clear the cache\n  id: t-1\n  note: after the redis upgrade\n',
      )
    },
  })
  const hitOf = async (text: string) => (await client.search({ query: { text } })).items[0]
  expect(await hitOf('REDIS')).toMatchObject({
    title: 'Clear the cache',
    excerpt: 'a.task.md: note: after the redis upgrade',
  })
  expect(await hitOf('cache')).toMatchObject({ title: 'Clear the cache', excerpt: 'a.task.md' })
})

it('finds text in sessions, tasks and memory', async () => {
  const { client, ask } = await startTestServer({
    prepare(home) {
      for (const folder of ['tasks', 'memory', 'sessions']) mkdirSync(home.at(folder), { recursive: true })
      writeFileSync(home.at('tasks', 'a.task.md'), '- [ ] Clear the Redis cache\n  id: t-1\n')
      writeFileSync(home.at('memory', 'machines.md'), '# Machines\n\nThe redis host is alpha.\n')
      const ended = { role: 'event' as const, type: 'session.ended', report: { status: 'completed' } }
      const entries = [
        { role: 'user' as const, content: 'Check it.' },
        { role: 'assistant' as const, content: 'REDIS answers.' },
        ended,
      ]
      writeSession(home, 'lead-1', entries)
      writeSession(home, 'lead-2', [entries[0] as (typeof entries)[0], ended])
    },
  })
  const { items, complete } = await client.search({ query: { text: 'redis' } })
  expect(complete).toBe(true)
  expect(items.map(({ kind, id, url }) => [kind, id, url])).toEqual([
    ['task', 't-1', '/tasks/t-1'],
    ['memory', 'machines.md', '/search'],
    ['session', 'lead-1', '/sessions/lead-1'],
  ])
  expect(items[2]?.excerpt).toContain('REDIS answers.')
  expect((await client.search({ query: { text: 'redis', limit: 1 } })).complete).toBe(false)
  expect((await ask('/api/search')).status).toBe(400)
  expect((await ask('/api/search?text=x')).status).toBe(400)
})
