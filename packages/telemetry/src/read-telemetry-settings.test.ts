import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { version } from './exporter-version.ts'
import { type Environment, readTelemetrySettings } from './read-telemetry-settings.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }
const read = (environment: Environment) => readTelemetrySettings(environment, 'instance-1')

it('appends the path of a signal to the address of all signals, and uses the address of one signal as it is', () => {
  expect(read(endpoint).traces?.url.href).toBe('http://localhost:4318/v1/traces')
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://x.test/otlp/?a=b' }).metrics?.url.href).toBe(
    'https://x.test/otlp/v1/metrics?a=b',
  )
  const own = { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other:1/in' }
  expect(read(own).traces?.url.href).toBe('http://other:1/in')
  expect(read(own).metrics?.url.href).toBe('http://localhost:4318/v1/metrics')
  const onlyMetrics = read({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other:1/in' })
  expect([onlyMetrics.traces, onlyMetrics.metrics?.url.href]).toEqual([undefined, 'http://other:1/in'])
})

it.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, /must be an address that starts with http/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'file:///etc/passwd' }, /must be an address that starts with http/],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /only as http\/json, not as grpc/],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'smoke' }, /only as http\/json/],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin', OTEL_METRICS_EXPORTER: 'none' }, /must be otlp or none/],
])('does not export anything with %o, and explains why', (environment, why) => {
  const { traces, metrics, notices } = read(environment)
  expect([traces, metrics]).toEqual([undefined, undefined])
  expect(notices.join()).toMatch(why)
})

it('sends JSON where protobuf over HTTP is asked for, because receivers take both at one address', () => {
  const { traces, notices, sendsJsonInstead } = read({
    ...endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  })
  expect(traces).toBeDefined()
  expect([notices, sendsJsonInstead]).toEqual([[], true])
})

it('sends the headers of all signals and of one, and no others', () => {
  const { traces, metrics, notices } = read({
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS:
      'api-key=a%2Cb, X-Team = red,hush-hush,bad=%E0%A4%A,evil=a%0d%0aX: y,content-length=0',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=blue',
  })
  expect(traces?.headers).toEqual({ 'api-key': 'a,b', 'x-team': 'blue' })
  expect(metrics?.headers).toEqual({ 'api-key': 'a,b', 'x-team': 'red' })
  expect(notices).toEqual([expect.stringContaining('OTEL_EXPORTER_OTLP_HEADERS has 4 entries')])
  expect(notices.join()).not.toMatch(/hush|evil/)
})

it('reads limits, and keeps the usual ones where a number is none', () => {
  const { queue, traces, notices } = read({
    ...endpoint,
    OTEL_BSP_MAX_QUEUE_SIZE: '10',
    OTEL_BSP_SCHEDULE_DELAY: 'soon',
    OTEL_EXPORTER_OTLP_TIMEOUT: '250',
  })
  expect(queue).toEqual({ most: 10, batch: 512, delayMs: 5000 })
  expect(traces?.timeoutMs).toBe(250)
  expect(notices).toEqual(['OTEL_BSP_SCHEDULE_DELAY must be a whole number above zero. Cadre uses 5000.'])
})

it('names the service, and its process', () => {
  const { resource } = read({
    ...endpoint,
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,team=red%20one',
    OTEL_SERVICE_NAME: 'b',
  })
  const found = Object.fromEntries(
    (JSON.parse(`[${resource}]`) as { key: string; value: object }[]).map(({ key, value }) => [
      key,
      Object.values(value)[0],
    ]),
  )
  expect(found).toMatchObject({ 'service.name': 'b', team: 'red one', 'service.instance.id': 'instance-1' })
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  expect(version).toBe(manifest.version)
})

it('samples by the trace, so that every process decides the same', () => {
  const quarter = read({
    ...endpoint,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }).sampler
  const low = { traceId: `${'a'.repeat(19)}${'1'.repeat(13)}`, sampled: true }
  const high = { traceId: `${'a'.repeat(19)}${'f'.repeat(13)}`, sampled: true }
  expect([quarter(low), quarter(high)]).toEqual([true, false])
  const usual = read(endpoint).sampler
  expect(usual({ ...low, spanId: '1'.repeat(16), sampled: false })).toBe(false)
  expect(usual(low)).toBe(true)
})
