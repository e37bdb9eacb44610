import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CadreEvent } from '@cadre/core'
import { expect, it, onTestFinished } from 'vitest'
import { createTelemetry, type Telemetry } from './create-telemetry.ts'

interface Collector {
  readonly url: string
  readonly bodies: string[]
}

async function startCollector(answer: (response: ServerResponse, count: number) => void): Promise<Collector> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('error', () => {})
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      bodies.push(body)
      answer(response, bodies.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}

function telemetryTo(url: string, more: Record<string, string> = {}, closeMs = 200) {
  const told: string[] = []
  const telemetry = createTelemetry({
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRICS_EXPORTER: 'none', ...more },
    mask: (text) => text,
    tell: (message) => told.push(message),
    closeMs,
  })
  return { telemetry, told }
}

/** A session that starts and ends. */
function runSession(telemetry: Telemetry, session = 'lead-1'): void {
  const stamp = { session, at: '2026-01-01T00:00:00.000Z', seq: 1 }
  const report = { agent: 'lead', status: 'completed', text: '', model: 'm', usage: { input: 0, output: 0 } }
  for (const event of [
    { type: 'session.started', agent: 'lead', model: 'x:m', work: 'w', root: 'lead-1', depth: 0, ...stamp },
    { type: 'session.ended', report, ...stamp },
  ])
    telemetry.take(event as unknown as CadreEvent)
}

const spansIn = ({ bodies }: Collector) => bodies.join('').match(/"spanId"/g)?.length ?? 0

it.each<[string, (response: ServerResponse) => void, RegExp]>([
  ['refuses everything', (response) => void response.writeHead(400).end('x'), /status 400/],
  ['fails', (response) => void response.writeHead(500).end(), /status 500/],
  [
    'redirects',
    (response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    /does not follow redirects/,
  ],
  ['hangs up', (response) => void response.socket?.destroy(), /ECONNRESET|closed the connection/],
  ['never answers', () => {}, /did not answer in time/],
  [
    'is overloaded',
    (response) => void response.writeHead(503, { 'retry-after': '3600' }).end(),
    /status 503|in time/,
  ],
])('a collector that %s costs a notice and nothing else', async (_what, answer, why) => {
  const collector = await startCollector(answer)
  const { telemetry, told } = telemetryTo(collector.url)
  runSession(telemetry)
  runSession(telemetry, 'lead-2')
  await telemetry.close()
  runSession(telemetry, 'lead-3')
  expect(told).toHaveLength(1)
  expect(told[0]).toMatch(why)
  expect(collector.bodies.length).toBeLessThanOrEqual(2)
})

it('does not read an endless answer, and delivers the next spans', async () => {
  const collector = await startCollector((response) => {
    response.writeHead(200)
    const flood = () => response.destroyed || response.write(Buffer.alloc(1 << 16), flood)
    flood()
  })
  const { telemetry, told } = telemetryTo(collector.url, {}, 5000)
  runSession(telemetry)
  runSession(telemetry, 'lead-2')
  await telemetry.close()
  expect([spansIn(collector), told]).toEqual([2, []])
})

it('keeps a bounded amount of 10,000 sessions for a collector that does not answer', async () => {
  const collector = await startCollector(() => {})
  const { telemetry, told } = telemetryTo(collector.url, { OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '100' })
  for (let n = 0; n < 10_000; n++) runSession(telemetry, `s-${n}`)
  expect(told).toEqual([expect.stringContaining('does not accept data fast enough')])
  await telemetry.close()
  expect(spansIn(collector)).toBeLessThanOrEqual(100)
})

it('retries data that a collector could not accept', async () => {
  const collector = await startCollector((response, count) =>
    response.writeHead(count === 1 ? 503 : 200).end(),
  )
  const { telemetry, told } = telemetryTo(collector.url, {}, 5000)
  runSession(telemetry)
  await expect.poll(() => collector.bodies.length).toBe(1)
  await telemetry.close()
  expect(collector.bodies[1]).toBe(collector.bodies[0])
  expect(told).toEqual([])
})

it('sends metrics as differences if the collector prefers that', async () => {
  const collector = await startCollector((response) => response.writeHead(200).end())
  const { telemetry } = telemetryTo(collector.url, {
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_TRACES_EXPORTER: 'none',
    OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta',
  })
  runSession(telemetry)
  await telemetry.close()
  expect(collector.bodies).toHaveLength(1)
  expect(collector.bodies[0]).toContain('"aggregationTemporality":1')
  expect(collector.bodies[0]).toContain('gen_ai.invoke_agent.duration')
})
