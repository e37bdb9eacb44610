/** The HTTP API, judged by programs of others: its document, and each request and answer of the running server. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { ApiError, createClient, operations } from '@cadre/api'
import { defineTool, object, type Rule, type Tool } from '@cadre/core'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { sessionText, until } from '../../packages/server/src/daemon/daemon.spec-helpers.ts'
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../packages/server/src/http/routes/routes.spec-helpers.ts'
import { lintDocument, startPrism, writeDocument } from './support/api-judges.ts'

const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys',
  class: 'execute',
  effect: 'execute',
  input: object({}),
  run: async () => ({ content: 'deployed' }),
}) as unknown as Tool
const ask: Rule = {
  by: 'policy',
  name: 'ask',
  judge: () => ({ kind: 'ask', by: 'policy', rule: 'ask-first', reason: 'it deploys' }),
} as unknown as Rule

const options: TestServerOptions = {
  tools: [deploy],
  rules: [ask],
  lanes: { worker: [call(['deploy', {}]), say('It is out.'), say('Again.'), say('Forked.')] },
  prepare: (home) => {
    mkdirSync(home.at('tasks'), { recursive: true })
    writeFileSync(home.at('tasks', 'work.task.md'), '- [x] Read it <!-- id:one -->\n')
  },
}

async function documented(server: TestServer): Promise<string> {
  const answer = await server.ask('/api/openapi.json')
  expect(answer.status).toBe(200)
  return writeDocument(answer.json())
}

test.each(['spectral', 'redocly'] as const)('%s finds nothing in the document', async (linter) => {
  const server = await startTestServer(options)
  expect(await lintDocument(linter, await documented(server))).toEqual([])
})

test('prism accepts each request and answer of a whole run', async () => {
  const server = await startTestServer(options)
  const headers = await server.logIn('ann', ['admin'])
  const address = await startPrism(await documented(server), server.address)
  const used = new Set<string>()
  const plain = createClient({
    address,
    fetch: (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), ...headers } }),
  })
  // Prism answers 500 with the differences if a request or an answer is not as the document says.
  const client = new Proxy(plain, {
    get(target, name: keyof typeof plain) {
      used.add(name)
      return target[name]
    },
  })
  const { id } = await client.startSession({ body: { work: 'Deploy it.', agent: 'worker' } })
  const [pending] = await until(async () => {
    const { items } = await client.listApprovals()
    return items.length > 0 && items
  })
  if (pending === undefined) throw new Error('nothing is pending')
  const params = { id: pending.id }
  await client.getApproval({ params })
  await client.getApprovalDiff({ params })
  await client.decide({ params, body: { decision: 'approve', action: pending.action } })
  await until(() => /^status: completed/m.test(sessionText(server.home, id)))
  await client.sendMessage({ params: { id }, body: { text: 'Once more.' } })
  await until(() => sessionText(server.home, id).includes('Again.'))
  await until(async () => (await client.getSession({ params: { id } })).row.state === 'ended')
  for (const name of ['getTree', 'listEntries', 'getJournal'] as const) await client[name]({ params: { id } })
  await client.getCall({ params: { id, call: pending.call } })
  for (const name of ['me', 'status', 'describe', 'listSessions', 'listTasks', 'listWorkspaces'] as const)
    await client[name]()
  for (const name of ['listAgents', 'lint', 'listProblems', 'listAudit', 'listInbox'] as const)
    await client[name]()
  for (const name of ['listOutbox', 'listMailboxes'] as const) await client[name]()
  await client.getAgent({ params: { name: 'worker' } })
  await client.explain({ body: { agent: 'worker', tool: 'read_file', input: { path: 'x' } } })
  await client.search({ query: { text: 'Deploy' } })
  const task = await client.createTask({ body: { title: 'Write it', file: 'work.task.md' } })
  const changed = await client.changeTask({
    params: { id: task.id },
    body: { title: 'Write it down' },
    ifMatch: task.etag,
  })
  await client.deleteTask({ params: { id: changed.id }, ifMatch: changed.etag })
  const journal = await server.ask(`/api/sessions/${id}/journal`)
  const ifMatch = String(journal.headers.etag).replaceAll('"', '')
  await client.rewindSession({ params: { id }, query: { dryRun: true }, body: { seq: 3 }, ifMatch })
  await client.forkSession({ params: { id }, body: { seq: 3, work: 'Differently.' } })
  await client.addToInbox({ params: { file: 'notes' }, body: { line: { text: 'Hello.' } } })
  // These need what this run does not have. The answers are problems, which prism checks as well.
  const none = { id: 'nobody-1' }
  const others: readonly (() => Promise<unknown>)[] = [
    () => client.resumeSession({ params: none }),
    () => client.handOff({ params: { id }, body: { handoff: 1 } }),
    () => client.answerQuestion({ params: { id, question: 'x' }, body: { answer: 'done', action: 'x' } }),
    () => client.getWorkspaceDiff({ params: none }),
    () => client.getForecast({ params: none }),
    () => client.mergeWorkspace({ params: none }),
    () => client.rollBackWorkspace({ params: none, body: {} }),
    () => client.cleanWorkspace({ params: none }),
    () => client.putJournal({ params: { id }, body: { text: 'x' }, ifMatch: 'AAAA' }),
    () => client.cancelSession({ params: none, body: {} }),
  ]
  for (const send of others) await expect(send()).rejects.toSatisfy(isRefused)
  await client.logout()
  const planned = ['login', 'events', 'listPeople', 'addPerson', 'removePerson']
  expect(Object.keys(operations).filter((name) => !used.has(name) && !planned.includes(name))).toEqual([])
})

/** Prism's own problems have a type of Prism. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.problem.type === 'about:blank'
}
