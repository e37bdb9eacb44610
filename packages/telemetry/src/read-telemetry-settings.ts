import { type AttributeText, attributesOf } from './attributes.ts'
import { version } from './exporter-version.ts'
import { readPairs } from './read-pairs.ts'
import { readSampler, type Sampler } from './sampler.ts'

export type Environment = { readonly [name: string]: string | undefined }

export type SignalName = 'traces' | 'metrics'

/** Where one kind of data goes. */
export interface SignalSettings {
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly timeoutMs: number
  readonly gzip: boolean
  /** Files with certificates, for servers and clients that use their own. */
  readonly certificates: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

export interface TelemetrySettings {
  readonly traces?: SignalSettings
  readonly metrics?: SignalSettings
  readonly resource: AttributeText
  /** Export prompts, replies, arguments and results. */
  readonly content: boolean
  readonly sampler: Sampler
  readonly delta: boolean
  readonly queue: { readonly most: number; readonly batch: number; readonly delayMs: number }
  readonly metricsEveryMs: number
  /** The longest text in an attribute. */
  readonly longest: number
  /** Problems with the settings, one sentence each. They contain no values of headers. */
  readonly notices: readonly string[]
  /** Set if the environment asks for protobuf over HTTP: Cadre sends JSON, which the same endpoint accepts. */
  readonly sendsJsonInstead: boolean
}

/** Reads the `OTEL_…` variables. An empty variable counts as one that is not set. */
export function readTelemetrySettings(environment: Environment, instance: string): TelemetrySettings {
  const read = reader(environment)
  const { notices, get } = read
  const traces = signalOf('traces', read)
  const metrics = signalOf('metrics', read)
  const sampler = readSampler(get('OTEL_TRACES_SAMPLER'), get('OTEL_TRACES_SAMPLER_ARG'))
  if (sampler === undefined)
    notices.add('OTEL_TRACES_SAMPLER names a sampler that Cadre does not have, so all traces are exported.')
  const temporality = get('OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE')?.toLowerCase()
  return {
    ...(traces && { traces }),
    ...(metrics && { metrics }),
    resource: resourceOf(read, instance),
    content: get('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')?.toLowerCase() === 'true',
    sampler: sampler ?? (() => true),
    delta: temporality === 'delta' || temporality === 'lowmemory',
    queue: {
      most: read.number('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
      batch: read.number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
      delayMs: read.number('OTEL_BSP_SCHEDULE_DELAY', 5000),
    },
    metricsEveryMs: read.number('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    longest: read.number(
      'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
      read.number('OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT', 65_536),
    ),
    notices: [...notices],
    sendsJsonInstead: read.protocols.has('http/protobuf'),
  }
}

interface Reader {
  readonly notices: Set<string>
  readonly protocols: Set<string>
  get(name: string): string | undefined
  /** The variable of one signal, or else the one of all signals. */
  ofSignal(signal: SignalName, name: string): string | undefined
  /** A whole number above zero. */
  number(name: string, usual: number): number
}

function reader(environment: Environment): Reader {
  const notices = new Set<string>()
  const get = (name: string) => environment[name]?.trim() || undefined
  return {
    notices,
    protocols: new Set(),
    get,
    ofSignal: (signal, name) => get(nameOf(name, signal)) ?? get(nameOf(name)),
    number(name, usual) {
      const text = get(name)
      if (text === undefined) return usual
      if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
      notices.add(`${name} must be a whole number above zero. Cadre uses ${usual}.`)
      return usual
    },
  }
}

function nameOf(name: string, signal?: SignalName): string {
  return `OTEL_EXPORTER_OTLP_${signal === undefined ? '' : `${signal.toUpperCase()}_`}${name}`
}

function signalOf(signal: SignalName, read: Reader): SignalSettings | undefined {
  const { notices, get, ofSignal } = read
  const exporter = get(`OTEL_${signal.toUpperCase()}_EXPORTER`)?.toLowerCase() ?? 'otlp'
  if (exporter === 'none') return undefined
  const address = addressOf(signal, read)
  if (address === undefined) return undefined
  if (exporter !== 'otlp') {
    notices.add(
      `OTEL_${signal.toUpperCase()}_EXPORTER must be otlp or none. Until you correct it, Cadre exports no ${signal}.`,
    )
    return undefined
  }
  const protocol = ofSignal(signal, 'PROTOCOL')?.toLowerCase() ?? 'http/json'
  if (protocol !== 'http/json' && protocol !== 'http/protobuf') {
    notices.add(
      `Cadre sends telemetry only as http/json, not as ${protocol === 'grpc' ? 'grpc' : 'the protocol in OTEL_EXPORTER_OTLP_PROTOCOL'}, so it does not export ${signal}. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/json and the address of an HTTP receiver, usually port 4318.`,
    )
    return undefined
  }
  read.protocols.add(protocol)
  const { ca, cert, key } = {
    ca: ofSignal(signal, 'CERTIFICATE'),
    cert: ofSignal(signal, 'CLIENT_CERTIFICATE'),
    key: ofSignal(signal, 'CLIENT_KEY'),
  }
  return {
    url: address,
    headers: headersOf(signal, read),
    timeoutMs: read.number(nameOf('TIMEOUT', signal), read.number(nameOf('TIMEOUT'), 10_000)),
    gzip: ofSignal(signal, 'COMPRESSION')?.toLowerCase() === 'gzip',
    certificates: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
  }
}

/** The address of one signal is used as it is; the one of all signals gets the path of the signal. */
function addressOf(signal: SignalName, { get, notices }: Reader): URL | undefined {
  const own = get(nameOf('ENDPOINT', signal))
  const name = nameOf('ENDPOINT', own === undefined ? undefined : signal)
  const text = own ?? get(name)
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    notices.add(
      `${name} must be an address that starts with http:// or https://. Cadre does not export ${signal}.`,
    )
    return undefined
  }
  if (own === undefined) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/${signal}`
  return url
}

/** Headers that belong to the request itself. */
const ownHeaders = /^(?:content-.*|host|connection|transfer-encoding|expect|upgrade|te|trailer)$/i

function headersOf(signal: SignalName, { get, notices }: Reader): { readonly [name: string]: string } {
  const headers: Record<string, string> = {}
  for (const name of [nameOf('HEADERS'), nameOf('HEADERS', signal)]) {
    const { pairs, invalid } = readPairs(get(name))
    const usable = pairs.filter(([key, value]) => isHeader(key, value))
    for (const [key, value] of usable) headers[key.toLowerCase()] = value
    const wrong = invalid + pairs.length - usable.length
    // Not which one: whatever is written there may be a token.
    if (wrong > 0)
      notices.add(
        `${name} has ${wrong === 1 ? 'an entry' : `${wrong} entries`} that Cadre cannot send and therefore ignores. Write key=value.`,
      )
  }
  return headers
}

function isHeader(key: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(key) && !ownHeaders.test(key) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

function resourceOf({ get, notices }: Reader, instance: string): AttributeText {
  const { pairs, invalid } = readPairs(get('OTEL_RESOURCE_ATTRIBUTES'))
  if (invalid > 0)
    notices.add('OTEL_RESOURCE_ATTRIBUTES has an entry that is not key=value. Cadre ignores it.')
  const given = Object.fromEntries(pairs)
  return attributesOf({
    'service.name': get('OTEL_SERVICE_NAME') ?? given['service.name'] ?? 'cadre',
    'service.version': version,
    // Every process counts on its own: with the same identity, their counters would overwrite each other.
    'service.instance.id': instance,
    'telemetry.sdk.name': 'cadre',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    ...Object.fromEntries(pairs.filter(([key]) => key !== 'service.name').slice(0, 128)),
  })
}
