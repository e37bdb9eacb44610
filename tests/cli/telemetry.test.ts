import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { inDeep } from '../support/amount.ts'
import { type ReceivedSpan, startReceiver } from '../support/otlp-receiver.ts'
import { bin } from './support/cadre.ts'
import { agentFile, createProject, delegate, deployTool, type Project, report } from './support/project.ts'
import { until } from './support/until.ts'

const secret = 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'

/** A team: the lead delegates, the worker reads, fails, is denied, and needs an approval. */
function createTeam() {
  const read = (path: string) => ({ tool: 'read_file', input: { path } })
  return createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    ...deployTool,
    'notes.txt': `The token is ${secret}.\n`,
    '.claude/settings.json': {
      hooks: {
        PreToolUse: [{ matcher: 'deploy', hooks: [{ type: 'command', command: 'cat > /dev/null' }] }],
      },
    },
    'p.yaml': {
      lanes: {
        lead: [
          { calls: [delegate('worker')], usage: { input: 100, output: 20, cost: 0.25 } },
          { reply: 'All done.' },
        ],
        worker: [
          { calls: [read('notes.txt'), read('missing.txt'), { tool: 'nonsense', input: {} }] },
          { calls: [{ tool: 'deploy', input: { to: 'production' } }] },
          report('It is live.'),
        ],
      },
    },
  })
}

const run = ['run', '--trust', '--model', 'scripted:p.yaml', '--json', 'Deploy it.']

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name)
  expect(found, `${name} in ${spans.map((span) => span.name).join(', ')}`).toHaveLength(1)
  return found[0] as ReceivedSpan
}

inDeep('a tree that is suspended, approved and resumed in another process is one trace', async () => {
  const receiver = await startReceiver()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`, OTEL_SERVICE_NAME: 'shop' }
  const project = createTeam()
  expect((await project.cadre(run, { env })).code).toBe(3)
  const [pending] = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as { id: string }[]
  await project.cadre(['approve', pending?.id as string])
  const root = project.sessions().find((id) => id.startsWith('lead-')) as string
  const resumed = await project.cadre(['resume', root, '--json'], { env, ownProcess: true })
  expect(resumed.stderr).toBe('')
  expect(resumed.code).toBe(0)

  const { spans, faults } = receiver
  expect(faults).toEqual([])
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  const lead = named(spans, 'invoke_agent lead')
  const delegation = named(spans, 'execute_tool delegateWork')
  const worker = named(spans, 'invoke_agent worker')
  const approval = named(spans, 'await_approval deploy')
  const deploy = named(spans, 'execute_tool deploy')
  const hook = named(spans, 'execute_hook PreToolUse')
  expect(lead.parentSpanId).toBeUndefined()
  expect(delegation.parentSpanId).toBe(lead.spanId)
  expect(worker.parentSpanId).toBe(delegation.spanId)
  for (const { parentSpanId } of [approval, deploy, hook]) expect(parentSpanId).toBe(worker.spanId)
  const chats = spans.filter(({ name }) => name === 'chat p.yaml')
  expect(chats.map(({ kind }) => kind)).toEqual([3, 3, 3, 3, 3])
  expect(chats.filter(({ parentSpanId }) => parentSpanId === worker.spanId)).toHaveLength(3)
  const ids = new Set(spans.map(({ spanId }) => spanId))
  expect(spans.filter((span) => span !== lead && !ids.has(span.parentSpanId as string))).toEqual([])

  // Times are those of the record, over both processes.
  const file = (id: string) => readFileSync(project.at('.cadre/sessions', `${id}.session.yaml`), 'utf8')
  const workerId = worker.attributes['gen_ai.conversation.id'] as string
  const created = /^created: '?([^'\n]+)/m.exec(file(root))?.[1] as string
  expect(lead.begun).toBe(Date.parse(created))
  expect(lead.ended).toBeGreaterThanOrEqual(worker.ended)
  const at = (type: string) =>
    Date.parse(new RegExp(`timestamp: '?([^',\\n]+)[^-]*?type: ${type}`).exec(file(workerId))?.[1] as string)
  expect(approval.begun).toBe(at('person.asked'))
  expect(approval.ended).toBe(at('person.answered'))
  expect(deploy.begun).toBeGreaterThanOrEqual(approval.ended)
  expect(delegation.begun).toBeLessThanOrEqual(worker.begun)
  expect(delegation.ended).toBeGreaterThanOrEqual(worker.ended)

  expect(approval.attributes).toMatchObject({
    'cadre.approval.decision': 'approve',
    'gen_ai.tool.name': 'deploy',
  })
  const reads = spans.filter(({ name }) => name === 'execute_tool read_file')
  expect(reads.map(({ status }) => status.code)).toEqual([undefined, 2])
  expect(named(spans, 'execute_tool nonsense').attributes).toMatchObject({ 'cadre.decision': 'deny' })
  expect(lead.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'lead',
    'gen_ai.conversation.id': root,
    'gen_ai.provider.name': 'scripted',
    'gen_ai.request.model': 'p.yaml',
    'cadre.report.status': 'completed',
  })
  expect(lead.resource).toMatchObject({ 'service.name': 'shop' })
  expect(lead.resource['service.instance.id']).not.toBe(chats[0]?.resource['service.instance.id'])
  // No content unless it is asked for.
  const sent = receiver.requests.map(({ body }) => body).join()
  for (const text of ['Deploy it.', 'All done.', 'It is live', 'production', 'notes.txt'])
    expect(sent).not.toContain(text)
})

test('metrics count tokens, durations and denials, and a caller is joined', async () => {
  const receiver = await startReceiver()
  const caller = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' }
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abcdefgh12345678',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    TRACEPARENT: `00-${caller.trace}-${caller.span}-01`,
  }
  const project = createTeam()
  expect((await project.cadre([...run, '--no-human'], { env })).code).toBe(0)
  expect(receiver.faults).toEqual([])
  const lead = named(receiver.spans, 'invoke_agent lead')
  expect(lead).toMatchObject({ traceId: caller.trace, parentSpanId: caller.span })
  const total = (metric: string) =>
    receiver.points.filter((point) => point.metric === metric).reduce((sum, { value }) => sum + value, 0)
  expect(total('gen_ai.client.inference.usage.input_tokens')).toBe(100)
  expect(total('gen_ai.client.inference.usage.output_tokens')).toBe(20)
  expect(total('cadre.cost')).toBe(0.25)
  const denials = receiver.points.filter(({ metric }) => metric === 'cadre.denials')
  expect(denials.map(({ attributes, value }) => [attributes['gen_ai.tool.name'], value])).toContainEqual([
    'deploy',
    1,
  ])
  const agents = receiver.points.filter(({ metric }) => metric === 'gen_ai.invoke_agent.duration')
  expect(agents.map(({ attributes, count }) => [attributes['gen_ai.agent.name'], count]).sort()).toEqual([
    ['lead', 1],
    ['worker', 1],
  ])
  expect(receiver.requests.map(({ headers }) => headers['authorization'])).toEqual(
    receiver.requests.map(() => 'Bearer abcdefgh12345678'),
  )
  // Content, without secrets.
  expect(lead.attributes['gen_ai.input.messages']).toContain('Deploy it.')
  const sent = receiver.requests.map(({ body }) => body).join()
  expect(sent).toContain('ghp_***')
  expect(sent).not.toContain(secret)
})

test('Ctrl-C sends what has happened, and the resumed run continues the trace', async () => {
  const receiver = await startReceiver()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }
  const playbook = (worker: object) => ({
    lanes: { lead: [{ calls: [delegate('worker')] }, { reply: 'Done.' }], worker: [worker] },
  })
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'p.yaml': playbook({ hang: true }),
  })
  const running = project.start(['run', '--model', 'scripted:p.yaml', '--json', 'Do it.'], { env })
  await running.until((stdout) => /"round.started".*"worker-/.test(stdout))
  running.child.kill('SIGINT')
  expect((await running.ended()).code).toBe(130)
  const first = named(receiver.spans, 'invoke_agent lead')
  const interrupted = named(receiver.spans, 'invoke_agent worker')
  expect([first, interrupted].map((span) => span.attributes['error.type'])).toEqual([
    'cancelled',
    'cancelled',
  ])

  project.write('p.yaml', playbook(report('It is done.')))
  await project.cadre(['resume', first.attributes['gen_ai.conversation.id'] as string], { env })
  const [, second] = receiver.spans.filter(({ name }) => name === 'invoke_agent lead') as [
    ReceivedSpan,
    ReceivedSpan,
  ]
  const [, worker] = receiver.spans.filter(({ name }) => name === 'invoke_agent worker') as [
    ReceivedSpan,
    ReceivedSpan,
  ]
  const delegation = named(receiver.spans, 'execute_tool delegateWork')
  expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(second).toMatchObject({ parentSpanId: first.spanId, links: [{ spanId: first.spanId }] })
  expect(delegation.parentSpanId).toBe(second.spanId)
  expect(delegation.begun).toBeLessThan(first.ended)
  for (const { parentSpanId } of [interrupted, worker]) expect(parentSpanId).toBe(delegation.spanId)
})

test('the daemon exports the sessions it runs, and the rest when it stops', async () => {
  const receiver = await startReceiver()
  const project = createProject({
    'p.yaml': { lanes: { planner: [{ reply: 'hello' }] } },
    ...agentFile('planner'),
  })
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    TRACEPARENT: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
  }
  const daemon = project.start(['up', '--trust', '--model', 'scripted:p.yaml'], { env })
  project.write(
    '.cadre/sessions/talk.session.yaml',
    'agent_id: planner\nmessages:\n  - role: user\n    content: hi\n',
  )
  await until(() => receiver.spans.length > 0)
  daemon.child.kill('SIGTERM')
  expect((await daemon.ended()).code).toBe(0)
  expect(receiver.faults).toEqual([])
  const agent = named(receiver.spans, 'invoke_agent planner')
  expect(agent.traceId).not.toBe('1'.repeat(32))
  expect(named(receiver.spans, 'chat p.yaml').parentSpanId).toBe(agent.spanId)
  expect(receiver.points.map(({ metric }) => metric)).toContain('gen_ai.invoke_agent.duration')
})

const hello = { ...agentFile('lead'), 'p.yaml': { lanes: { lead: [{ reply: 'Hello.' }] } } }
const sayHello = ['run', '--trust', '--model', 'scripted:p.yaml', 'Hi.']

test('a wrong collector is reported once, without its headers, and the run succeeds', async () => {
  const project = createProject(hello)
  const dead = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://ann:hush-hush@127.0.0.1:1/hush',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hush-hush-hush,hush hush',
  }
  const { code, stderr } = await project.cadre(sayHello, { env: dead })
  expect(code).toBe(0)
  expect(stderr.match(/OpenTelemetry/g)).toHaveLength(1)
  expect(stderr).toContain('http://127.0.0.1:1 does not accept them (connection refused)')
  expect(stderr).toContain('OTEL_EXPORTER_OTLP_HEADERS has an entry that Cadre cannot send')
  expect(stderr).not.toContain('hush')
  const grpc = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  const refused = await project.cadre(sayHello, { env: grpc })
  expect(refused.stderr).toMatch(/only as http\/json, not as grpc/)
  expect(refused.stderr).not.toMatch(/connection refused/)
})

test('doctor reports whether telemetry is on and whether the collector answers', async () => {
  const receiver = await startReceiver()
  const project = createProject(hello)
  const doctor = async (env: Record<string, string>) => (await project.cadre(['doctor'], { env })).stdout
  expect(await doctor({})).toMatch(/^ok +telemetry +off; set OTEL_EXPORTER_OTLP_ENDPOINT/m)
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }
  expect(await doctor(on)).toMatch(
    /^ok +telemetry +traces go to http:.*\nok +telemetry +metrics go to http:/m,
  )
  expect(await doctor({ ...on, OTEL_SDK_DISABLED: 'true' })).toMatch(/^ok +telemetry +off/m)
  expect(await doctor({ ...on, OTEL_METRICS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' })).toMatch(
    /^ok +telemetry +off; the OTEL_… variables disable/m,
  )
  const dead = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
  expect(await doctor(dead)).toMatch(/^warn +telemetry +the collector at http:\S+ does not accept traces/m)
})

/** Runs the command from the bundle, and prints whether one of the files that it loaded is the exporter. */
function loadsExporter(project: Project, env: Record<string, string>): string {
  const folder = path.join(path.dirname(bin), '..', 'dist', 'bundle', '/')
  const look = `const { readFileSync } = await import('node:fs')
const { loadBundle } = await import(${JSON.stringify(pathToFileURL(path.join(path.dirname(bin), 'load-bundle.js')).href)})
process.argv = [process.execPath, 'cadre', ...${JSON.stringify(sayHello)}]
const scripts = loadBundle(new URL(${JSON.stringify(pathToFileURL(folder).href)}))
process.on('exit', () => console.log([...scripts.keys()].some((file) => readFileSync(file, 'utf8').includes('resourceSpans'))))`
  const given = { PATH: process.env['PATH'], HOME: project.path, ...env }
  return execFileSync(process.execPath, ['--input-type=module', '-e', look], {
    cwd: project.path,
    env: given,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

test('the exporter is loaded only if a collector is named', () => {
  const project = createProject(hello)
  expect(loadsExporter(project, {})).toBe('Hello.\nfalse\n')
  expect(loadsExporter(project, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toBe('Hello.\ntrue\n')
})
