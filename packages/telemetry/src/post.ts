import { readFileSync } from 'node:fs'
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { promisify } from 'node:util'
import type { SignalSettings } from './read-telemetry-settings.ts'

/** `retry`: the same data may be accepted later. `afterMs`: the receiver asked to wait. */
export type Delivery =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly reason: string; readonly retry: boolean; readonly afterMs?: number }

export interface Sender {
  /** Sends one body. Never rejects. Gives up after `limitMs`, at most the timeout of the settings. */
  send(body: string, limitMs?: number): Promise<Delivery>
  /** Ends connections, and a request that is still running. */
  close(): void
}

const retryable = new Set([408, 429, 502, 503, 504])
/** Answers are not needed. This many bytes are read, so that the connection can be reused. A longer answer ends it. */
const maxAnswerBytes = 64 * 1024

/**
 * Sends JSON to one address, over one connection. Follows no redirects, because headers can hold tokens. Requests do not keep the process
 * running.
 */
export function createSender(signal: SignalSettings): Sender {
  const { url, timeoutMs } = signal
  let opened: Promise<Connection> | undefined
  const running = new Set<ClientRequest>()
  let isClosed = false
  return {
    async send(body, limitMs = timeoutMs) {
      try {
        opened ??= connect(signal)
        const { agent, request } = await opened
        const [bytes, encoding] = await encode(body, signal.gzip)
        if (isClosed) return failed('telemetry is shut down', false)
        const sent = request(url, {
          method: 'POST',
          agent,
          headers: {
            ...signal.headers,
            'content-type': 'application/json',
            'content-length': bytes.length,
            ...encoding,
          },
        })
        running.add(sent)
        return await answerOf(sent, bytes, Math.min(limitMs, timeoutMs)).finally(() => running.delete(sent))
      } catch (error) {
        // Certificates that cannot be read, for example.
        return failed(codeOf(error), false)
      }
    },
    close() {
      isClosed = true
      for (const sent of running) sent.destroy()
      void opened?.then(({ agent }) => agent.destroy()).catch(() => {})
    },
  }
}

interface Connection {
  readonly agent: HttpAgent
  readonly request: typeof requestHttp
}

async function connect({ url, certificates }: SignalSettings): Promise<Connection> {
  const kept = { keepAlive: true, maxSockets: 1, maxFreeSockets: 1 }
  if (url.protocol === 'http:') return { agent: new HttpAgent(kept), request: requestHttp }
  const { Agent, request } = await import('node:https')
  const files = Object.entries(certificates).map(([name, file]) => [name, readFileSync(file)] as const)
  return { agent: new Agent({ ...kept, ...Object.fromEntries(files) }), request }
}

async function encode(body: string, gzip: boolean): Promise<[Buffer, { 'content-encoding'?: string }]> {
  if (!gzip) return [Buffer.from(body), {}]
  const zlib = await import('node:zlib')
  return [await promisify<string, Buffer>(zlib.gzip)(body), { 'content-encoding': 'gzip' }]
}

function answerOf(sent: ClientRequest, bytes: Buffer, limitMs: number): Promise<Delivery> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve(failed('the collector did not answer in time', true))
      sent.destroy()
    }, limitMs).unref()
    sent.on('socket', (socket) => socket.unref())
    sent.on('error', (error) => resolve(failed(codeOf(error), true)))
    sent.on('close', () => {
      clearTimeout(timer)
      resolve(failed('the collector closed the connection', true))
    })
    sent.on('response', (answer) => {
      resolve(deliveryOf(answer))
      discard(answer)
    })
    sent.end(bytes)
  })
}

function deliveryOf({ statusCode = 0, headers }: IncomingMessage): Delivery {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'delivered' }
  const isRedirect = statusCode >= 300 && statusCode < 400
  const reason = `the collector responded with status ${statusCode}${isRedirect ? ', and Cadre does not follow redirects' : ''}`
  const seconds = Number(headers['retry-after'])
  const afterMs = seconds > 0 ? { afterMs: Math.min(seconds, 60) * 1000 } : {}
  return { ...failed(reason, retryable.has(statusCode)), ...afterMs }
}

function discard(answer: IncomingMessage): void {
  let left = maxAnswerBytes
  answer.on('error', () => {})
  answer.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) answer.destroy()
  })
}

function failed(reason: string, retry: boolean): Extract<Delivery, { kind: 'failed' }> {
  return { kind: 'failed', reason, retry }
}

/** A code and no message: messages can contain addresses with passwords. */
function codeOf(error: unknown): string {
  const code =
    error instanceof Error && 'code' in error ? String(error.code) : 'the collector cannot be reached'
  return code === 'ECONNREFUSED' ? 'connection refused' : code
}
