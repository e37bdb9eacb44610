import { expect, it } from 'vitest'
import { until } from '../cli/support/until.ts'
import {
  type ChatAnswer,
  type ChatRequest,
  lastResults,
  resultCount,
  userText,
} from './support/fake-github.ts'
import { agentFile, openWorld } from './support/open-world.ts'
import { serversOf } from './support/servers-of.ts'

const lead = agentFile('lead', 'tools: [read, agent]\nagents: [worker, middle]', 'You are the lead.')
const middle = agentFile('middle', 'tools: [search, agent]\nagents: [worker]', 'You are in the middle.')
const worker = agentFile('worker', 'tools: [read]', 'You are a worker.')

const isFor = (request: ChatRequest, words: string) => userText(request).includes(words)
const task = (subagent_type: string, prompt: string, more = {}) => ({
  name: 'delegate_task',
  input: { subagent_type, prompt, description: 'a task', ...more },
})

it('keeps eight conversations in one process separate', async () => {
  const script = (request: ChatRequest): ChatAnswer => {
    const job = /job (\d)/.exec(userText(request))![1]
    return resultCount(request) < 3
      ? { calls: [{ name: 'read_file', input: { path: `${job}.txt` } }] }
      : { text: `${job}: ${lastResults(request).join()}` }
  }
  const jobs = Array.from({ length: 8 }, (_, index) => index)
  const files = Object.fromEntries(jobs.map((job) => [`${job}.txt`, `content-${job}`]))
  const world = await openWorld(script, { ...worker, ...files })
  const runtime = await world.open()
  const reports = await Promise.all(jobs.map((job) => world.report(runtime, `job ${job}`, 'worker')))
  for (const [job, report] of reports.entries()) {
    expect(report.text).toContain(`${job}: `)
    expect(report.text).toContain(`content-${job}`)
    expect(report.calls).toBe(3)
  }
  expect(serversOf(world.github)).toHaveLength(1)
})

it('runs background children of a lead in two rounds', async () => {
  const world = await openWorld(
    (request): ChatAnswer => {
      if (isFor(request, 'You are a worker'))
        return { text: `worker did ${/part \w/.exec(userText(request))![0]}` }
      const said = userText(request)
      if (said.includes('worker did part c')) return { text: 'all done' }
      if (said.includes('worker did part a')) {
        expect(said).toContain('worker did part b')
        return resultCount(request) < 3
          ? { calls: [task('worker', 'part c')] }
          : { text: 'second round sent' }
      }
      return resultCount(request) < 2
        ? { text: 'I delegate.', calls: [task('worker', 'part a'), task('worker', 'part b')] }
        : { text: 'first round sent' }
    },
    { ...lead, ...worker, ...middle },
  )
  const runtime = await world.open()
  const report = await world.report(runtime, 'Do all parts', 'lead')
  expect(report).toMatchObject({ status: 'completed', text: 'all done', sessions: 4 })
  // Three workers, and three turns of the lead.
  expect(report.usage.premium).toBe(6)
})

it('carries out run_subagent as a delegation, judged by the rules of the child', async () => {
  const world = await openWorld(
    (request) => {
      const isChild = userText(request).includes('You read files.')
      if (isChild && resultCount(request) === 0)
        return { calls: [{ name: 'read_file', input: { path: 'secret/a.txt' } }] }
      if (isChild) return { text: `I got: ${lastResults(request).join()}` }
      if (resultCount(request) > 0) return { text: lastResults(request).join() }
      const input = { agentName: 'reader', task: 'Read it', description: 'reading' }
      return { calls: [{ name: 'run_subagent', input }] }
    },
    {
      ...agentFile('lead', 'agents: [reader]', 'You lead.'),
      ...agentFile('reader', 'tools: ["Read(notes/**)"]', 'You read files.'),
      'secret/a.txt': 'hidden',
      '.cadre/config.yaml': 'copilot: { subagents: true }\n',
    },
  )
  const runtime = await world.open()
  const report = await world.report(runtime, 'Go', 'lead')
  expect(report).toMatchObject({ status: 'completed', sessions: 2 })
  expect(report.text).toMatch(/Report of reader:\n\nI got: /)
  expect(report.text).not.toContain('hidden')
  const child = world.events.find(
    ({ type, session }) => type === 'session.ended' && session !== report.session,
  )
  expect(child).toMatchObject({ report: { agent: 'reader', status: 'completed' } })
})

it('waits through nested delegation, each agent with its own tools', async () => {
  const world = await openWorld(
    (request): ChatAnswer => {
      const results = lastResults(request)
      if (isFor(request, 'You are a worker')) {
        expect(request.tools!.map(({ function: { name } }) => name)).not.toContain('delegate_task')
        return results.length > 0
          ? { text: `read ${results.join()}` }
          : { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }
      }
      if (results.length > 0) return { text: results.join() }
      const next = isFor(request, 'You are in the middle') ? 'worker' : 'middle'
      return { calls: [task(next, `down to ${next}`, { wait_for_result: true })] }
    },
    { ...lead, ...middle, ...worker, 'a.txt': 'the deep word' },
  )
  const runtime = await world.open()
  const report = await world.report(runtime, 'Go deep', 'lead')
  expect(report.text).toContain('the deep word')
  expect(report.sessions).toBe(3)
})

it('opens one more process instead of letting a child wait for its own ancestor', async () => {
  const world = await openWorld(
    (request): ChatAnswer => {
      const results = lastResults(request)
      if (results.length > 0) return { text: results.join() }
      if (isFor(request, 'You are a worker')) return { text: 'deep result' }
      const next = isFor(request, 'You are in the middle') ? 'worker' : 'middle'
      return { calls: [task(next, `down to ${next}`, { wait_for_result: true })] }
    },
    { ...lead, ...middle, ...worker, 'home/.config/cadre/config.yaml': 'copilot:\n  processes: 1\n' },
  )
  const runtime = await world.open()
  const report = await world.report(runtime, 'Go deep', 'lead')
  expect(report.text).toContain('deep result')
  // Nothing is waiting anymore, so the limit applies again.
  await until(() => serversOf(world.github).length === 1)
})

it('passes the refusal of the gate to the model', async () => {
  const world = await openWorld(
    (request) =>
      resultCount(request) === 0
        ? { calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'x' } }] }
        : { text: lastResults(request).join() },
    agentFile('writer', 'tools: [read, edit]', 'You write.'),
  )
  const runtime = await world.open({ noHuman: true })
  const report = await world.report(runtime, 'Write it', 'writer')
  expect(report.text).toMatch(/approval|refused|denied/i)
})

it('is suspended for an approval, and continues in a new process afterwards', async () => {
  const world = await openWorld(
    (request) =>
      resultCount(request) === 0 && !isFor(request, '<tool_result')
        ? {
            text: 'I will write.',
            calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'written' } }],
          }
        : { text: 'written it' },
    agentFile('writer', 'tools: [read, edit]', 'You write.'),
  )
  const first = await world.open()
  const waiting = await first.run({ work: 'Write it', agent: 'writer' })
  if (waiting.kind !== 'waiting') throw new Error(JSON.stringify(waiting))
  await first.close()
  const second = await world.open({ ask: async () => ({ decision: 'approve', by: 'test' }) })
  const result = await second.orchestrator.resume(waiting.session, {}, new AbortController().signal)
  expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'written it' } })
  expect(userText(world.github.chats.at(-1)!)).toContain('<tool_result tool="write_file">')
})
