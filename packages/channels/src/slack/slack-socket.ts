/**
 * Owns the connection to Slack in socket mode. Only `createSlackChannel` starts and stops it.
 *
 * 1. An envelope is acknowledged after it is on disk, on its own connection. If storing fails, it is not acknowledged, and
 *    Slack sends it again.
 * 2. Envelopes are handled one at a time, in order.
 * 3. There is one connection at a time: the old one is closed before the next is opened.
 * 4. A silent connection is closed. When a connection ends, another one is opened, with increasing pauses after failures.
 * 5. After `stop`, nothing is opened, acknowledged or handled.
 */
import { isObject, type JsonObject, messageOf, parseJson, sentenceOf } from '@cadre/core'
import { pause } from '@cadre/disk'
import type { RawData, WebSocket } from 'ws'
import { isLoopback } from '../is-loopback.ts'
import { backoff } from '../reconnect-backoff.ts'
import type { SlackIntake } from './slack-intake.ts'

export interface SlackSocketOptions {
  /** Requests the address of a new connection. Rejects with a sentence. */
  readonly open: (signal: AbortSignal) => Promise<string>
  readonly intake: SlackIntake
  /** Receives why there is no connection; undefined if there is one. */
  readonly tell: (problem: string | undefined) => void
  readonly pauseMs?: number | undefined
  readonly pingMs?: number | undefined
}

export interface SlackSocket {
  /** Resolves when connected, or when the first attempt has failed; then it keeps trying. */
  start(): Promise<void>
  stop(): Promise<void>
}

const maxMessageSize = 4 * 1_024 * 1_024

export function createSlackSocket(options: SlackSocketOptions): SlackSocket {
  const { open, intake, tell, pauseMs = 500, pingMs = 15_000 } = options
  const stopped = new AbortController()
  let queue: Promise<void> = Promise.resolve()
  let running: Promise<void> | undefined

  return {
    start() {
      return new Promise((resolve) => {
        running = run(resolve)
      })
    },
    async stop() {
      stopped.abort()
      await running
      await queue
    },
  }

  async function run(tried: () => void): Promise<void> {
    for (let failures = 0; !stopped.signal.aborted; ) {
      const wasUseful = await connect(tried)
      tried()
      failures = wasUseful ? 0 : failures + 1
      await pause(backoff(failures, pauseMs), stopped.signal)
    }
  }

  /** Runs one connection until it ends. Resolves with true if it was established. */
  async function connect(ready: () => void): Promise<boolean> {
    let wasUseful = false
    try {
      const address = await open(stopped.signal)
      if (stopped.signal.aborted) return false
      requireSafe(address)
      const { WebSocket: Socket } = await import('ws')
      const socket = new Socket(address, {
        handshakeTimeout: 15_000,
        maxPayload: maxMessageSize,
        perMessageDeflate: false,
        followRedirects: false,
      })
      const end = await lifeOf(socket, {
        greeted() {
          tell(undefined)
          ready()
        },
        served() {
          wasUseful = true
        },
      })
      if (!stopped.signal.aborted) tell(end)
    } catch (error) {
      if (!stopped.signal.aborted) tell(messageOf(error))
    }
    return wasUseful
  }

  function lifeOf(
    socket: WebSocket,
    on: { readonly greeted: () => void; readonly served: () => void },
  ): Promise<string | undefined> {
    return new Promise((resolve) => {
      let reason: string | undefined = 'Lost the connection to Slack. Reconnecting.'
      let isAlive = true
      const alive = () => {
        isAlive = true
      }
      const watch = setInterval(() => {
        if (!isAlive) return socket.terminate()
        isAlive = false
        if (socket.readyState === socket.OPEN) socket.ping()
      }, pingMs).unref()
      const leave = () => socket.terminate()
      stopped.signal.addEventListener('abort', leave)
      socket.on('ping', alive).on('pong', alive)
      socket.on('error', (error) => {
        reason = `Lost the connection to Slack: ${sentenceOf(error)}`
      })
      socket.on('close', () => {
        clearInterval(watch)
        stopped.signal.removeEventListener('abort', leave)
        resolve(reason)
      })
      socket.on('message', (data) => {
        alive()
        const message = read(data)
        if (message?.['type'] === 'hello') return on.greeted()
        if (message?.['type'] === 'disconnect') {
          on.served()
          // Slack requests a new connection; only a disabled socket mode is a problem.
          reason =
            message['reason'] === 'link_disabled'
              ? 'Socket mode is disabled for the app. Enable it in its settings at api.slack.com.'
              : undefined
          socket.close()
          return
        }
        if (message === undefined || typeof message['envelope_id'] !== 'string') return
        on.served()
        const { envelope_id: id, type, payload } = message
        queue = queue.then(() => handle(socket, { id, type, payload: isObject(payload) ? payload : {} }))
      })
      // It may have been stopped before the listener was added.
      if (stopped.signal.aborted) leave()
    })
  }

  async function handle(
    socket: WebSocket,
    { id, type, payload }: { id: string; type: unknown; payload: JsonObject },
  ): Promise<void> {
    if (stopped.signal.aborted) return
    try {
      if (type === 'events_api' && !(await intake.event(payload))) return
      if (type === 'interactive') await intake.interaction(payload)
    } catch (error) {
      return tell(`Cannot handle an event from Slack: ${sentenceOf(error)}`)
    }
    if (!stopped.signal.aborted && socket.readyState === socket.OPEN)
      socket.send(JSON.stringify({ envelope_id: id }))
  }
}

function read(data: RawData): JsonObject | undefined {
  const parsed = parseJson(String(data))
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined
}

/** The address contains a ticket that is as powerful as the token. */
function requireSafe(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'wss:' || (url?.protocol === 'ws:' && isLoopback(url.hostname))) return
  throw new Error('Slack returned an unencrypted address for the connection, so Cadre does not use it.')
}
