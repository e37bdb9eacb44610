import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

type Value = string | number | boolean | readonly unknown[] | undefined

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  /** Milliseconds since 1970. */
  readonly begun: number
  readonly ended: number
  readonly attributes: Readonly<Record<string, Value>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status: { readonly code?: number; readonly message?: string }
  readonly resource: Readonly<Record<string, Value>>
}

export interface ReceivedPoint {
  readonly metric: string
  readonly type: 'sum' | 'histogram'
  readonly temporality: number
  readonly attributes: Readonly<Record<string, Value>>
  /** Of a counter: its value. Of a histogram: the sum. */
  readonly value: number
  readonly count: number
}

export interface Receiver {
  readonly url: string
  readonly spans: ReceivedSpan[]
  /** Each point of each request, in order. */
  readonly points: ReceivedPoint[]
  readonly requests: {
    readonly path: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  /** What is wrong with the requests by the rules of OTLP. */
  readonly faults: string[]
}

/** A collector on loopback, which takes OTLP over HTTP as JSON. */
export async function startReceiver(): Promise<Receiver> {
  const receiver: Omit<Receiver, 'url'> = { spans: [], points: [], requests: [], faults: [] }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
      receiver.requests.push({ path: request.url ?? '', headers: request.headers, body })
      if (request.headers['content-type'] !== 'application/json') receiver.faults.push('not JSON')
      take(receiver, JSON.parse(body))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { ...receiver, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

// biome-ignore lint/suspicious/noExplicitAny: it is what other programs send.
type Wire = any

function take({ spans, points, faults }: Omit<Receiver, 'url'>, body: Wire): void {
  for (const { resource, scopeSpans } of body.resourceSpans ?? [])
    for (const { spans: all } of scopeSpans)
      for (const span of all) {
        faults.push(...faultsOf(span).map((fault) => `${span.name}: ${fault}`))
        spans.push({
          ...span,
          begun: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
          ended: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
          attributes: readAttributes(span.attributes),
          links: span.links ?? [],
          resource: readAttributes(resource.attributes),
        })
      }
  for (const { scopeMetrics } of body.resourceMetrics ?? [])
    for (const { metrics } of scopeMetrics)
      for (const metric of metrics) {
        const type = 'sum' in metric ? 'sum' : 'histogram'
        const { dataPoints, aggregationTemporality: temporality } = metric[type]
        for (const point of dataPoints) {
          faults.push(...faultsOfPoint(type, point).map((fault) => `${metric.name}: ${fault}`))
          const value = Number(point.asInt ?? point.asDouble ?? point.sum)
          const attributes = readAttributes(point.attributes)
          points.push({
            metric: metric.name,
            type,
            temporality,
            attributes,
            value,
            count: Number(point.count),
          })
        }
      }
}

function faultsOf(span: Wire): string[] {
  return [
    !/^[0-9a-f]{32}$/.test(span.traceId) && 'the trace id is not 32 hexadecimal digits',
    !/^[0-9a-f]{16}$/.test(span.spanId) && 'the span id is not 16 hexadecimal digits',
    'parentSpanId' in span && !/^[0-9a-f]{16}$/.test(span.parentSpanId) && 'the parent id is wrong',
    typeof span.startTimeUnixNano !== 'string' && 'the start is not a string',
    typeof span.endTimeUnixNano !== 'string' && 'the end is not a string',
    BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano) && 'it ends before it starts',
    !Number.isInteger(span.kind) && 'the kind is not a number',
    span.attributes.some(({ value }: Wire) => Object.keys(value).length !== 1) && 'an attribute has no value',
  ].filter((fault) => typeof fault === 'string')
}

function faultsOfPoint(type: string, point: Wire): string[] {
  const sum = (point.bucketCounts ?? []).reduce((all: number, one: string) => all + Number(one), 0)
  return [
    typeof point.startTimeUnixNano !== 'string' && 'the start is not a string',
    type === 'sum' && 'asInt' in point && typeof point.asInt !== 'string' && 'an integer is not a string',
    type === 'histogram' && point.bucketCounts.length !== point.explicitBounds.length + 1 && 'wrong buckets',
    type === 'histogram' && sum !== Number(point.count) && 'the buckets do not add up',
    type === 'histogram' &&
      point.bucketCounts.some((one: unknown) => typeof one !== 'string') &&
      'a count is no string',
  ].filter((fault) => typeof fault === 'string')
}

function readAttributes(list: Wire[]): Record<string, Value> {
  return Object.fromEntries(list.map(({ key, value }) => [key, readValue(value)]))
}

function readValue(value: Wire): Value {
  if ('stringValue' in value) return value.stringValue
  if ('intValue' in value) return typeof value.intValue === 'string' ? Number(value.intValue) : undefined
  if ('doubleValue' in value) return value.doubleValue
  if ('boolValue' in value) return value.boolValue
  return value.arrayValue.values.map(readValue)
}
