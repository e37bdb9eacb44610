/**
 * Owns the requests that no session has recorded yet: one queue per session, one file per request.
 *
 * 1. A request is on disk when `add` returns, and stays there until it is removed. It survives `kill -9` and power loss.
 * 2. Requests for one session keep their order across restarts and changes of the system clock.
 * 3. Memory and disk agree: a request whose file cannot be removed stays queued.
 */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { writeFileAtomically } from '@cadre/channels'
import { isObject } from '@cadre/core'
import { namesIn, readRegularFile, systemErrorCode } from '@cadre/disk'
import { type Home, rememberOwnWrite } from '@cadre/home'
import type { KeepRequest, MessageWork, SessionStart } from '../session-keeper.ts'

export type QueuedRequest =
  | { readonly kind: 'start'; readonly request: KeepRequest }
  | {
      readonly kind: 'tell'
      readonly session: string
      readonly work: MessageWork
      /** How to start the session if it does not exist. */
      readonly begin?: SessionStart
    }

/** Also what a person asked for, if the sessions run on workers: a worker may be away for hours. */
export type QueuedOrder =
  | QueuedRequest
  /** `resumed`: how often the session had been resumed before. */
  | { readonly kind: 'resume'; readonly session: string; readonly resumed: number }
  | {
      readonly kind: 'cancel'
      readonly session: string
      readonly root: string
      readonly agent: string
      readonly reason: string
    }

export interface QueuedDelivery<Request extends QueuedOrder = QueuedRequest> {
  readonly file: string
  readonly session: string
  readonly request: Request
  /** Set if an earlier process has accepted it, and may have delivered it. */
  readonly isRestored?: true
}

const folder = ['storage', 'requests', 'queued'] as const

export class DeliveryQueue<Request extends QueuedOrder = QueuedRequest> {
  readonly #home: Home
  readonly #isKnown: (value: unknown) => value is Request
  readonly #queues = new Map<string, QueuedDelivery<Request>[]>()
  #last = 0

  /** `isKnown`: other requests stay on disk, for a daemon that knows them. */
  constructor(home: Home, isKnown: (value: unknown) => value is Request) {
    this.#home = home
    this.#isKnown = isKnown
  }

  /** Loads the requests of an earlier process. Throws system errors; call it again when the system has recovered. */
  load(): void {
    const known = new Set([...this.#queues.values()].flat().map(({ file }) => file))
    const names = namesIn(this.#home.at(...folder)).filter((name) => /^\d[^/]*\.json$/.test(name))
    for (const file of names.toSorted()) {
      this.#last = Math.max(this.#last, Number(/^\d{1,15}/.exec(file)?.[0] ?? 0))
      if (known.has(file)) continue
      const request = read(path.join(this.#home.at(...folder), file))
      if (this.#isKnown(request)) this.#keep({ file, session: sessionOf(request), request, isRestored: true })
    }
  }

  /** Throws system errors; the request is then not queued. */
  add(request: Request): void {
    this.#last = Math.max(this.#last + 1, Date.now())
    const file = `${String(this.#last).padStart(14, '0')}-${process.pid}.json`
    this.#write(file, request)
    this.#keep({ file, session: sessionOf(request), request })
  }

  /** Replaces a queued request by another one for the same session. Throws system errors; the queued one then stays. */
  replace({ file, session }: QueuedDelivery<Request>, request: Request): void {
    this.#write(file, request)
    const others = this.of(session).filter((one) => one.file !== file)
    this.#queues.set(session, others)
    this.#keep({ file, session, request })
  }

  /** In order of delivery. */
  of(session: string): readonly QueuedDelivery<Request>[] {
    return this.#queues.get(session) ?? []
  }

  has(queued: QueuedDelivery<Request>): boolean {
    return this.of(queued.session).includes(queued)
  }

  /** Whether this message is queued for this session. */
  hasMessage(session: string, message: string): boolean {
    return this.of(session).some(({ request }) => workOf(request)?.message === message)
  }

  /** Sessions with queued requests. */
  sessions(): readonly string[] {
    return [...this.#queues.keys()]
  }

  /** Throws system errors; the request then stays queued. */
  remove(queued: QueuedDelivery<Request>): void {
    const file = this.#home.at(...folder, queued.file)
    rememberOwnWrite(file, undefined)
    rmSync(file, { force: true })
    const left = this.of(queued.session).filter((one) => one !== queued)
    if (left.length === 0) this.#queues.delete(queued.session)
    else this.#queues.set(queued.session, left)
  }

  #write(file: string, request: Request): void {
    writeFileAtomically(this.#home, [...folder, file], JSON.stringify(request), { durable: true })
  }

  #keep(queued: QueuedDelivery<Request>): void {
    const { session } = queued
    this.#queues.set(
      session,
      [...this.of(session), queued].toSorted((a, b) => (a.file < b.file ? -1 : 1)),
    )
  }
}

/** The note about a message that no session gets. */
export function droppedMessage(session: string, reason = 'the session no longer exists') {
  const message = `A message for ${session} was dropped, because ${reason}.`
  return { type: 'message.dropped', message, session } as const
}

/** How to start the session of a request, if the request may start one. */
export function startRequestOf({ request }: QueuedDelivery<QueuedOrder>): KeepRequest | undefined {
  if (request.kind === 'start') return request.request
  if (request.kind !== 'tell') return undefined
  return request.begin && { ...request.begin, id: request.session, work: request.work }
}

function sessionOf(request: QueuedOrder): string {
  return request.kind === 'start' ? request.request.id : request.session
}

function workOf(request: QueuedOrder) {
  if (request.kind === 'start') return request.request.work
  return request.kind === 'tell' ? request.work : undefined
}

function read(file: string): unknown {
  try {
    return JSON.parse(readRegularFile(file).toString('utf8'))
  } catch (error) {
    if (systemErrorCode(error) !== undefined) throw error
    return undefined
  }
}

export function isQueuedOrder(value: unknown): value is QueuedOrder {
  if (isQueuedRequest(value)) return true
  if (!isObject(value) || typeof value['session'] !== 'string') return false
  if (value['kind'] === 'resume') return typeof value['resumed'] === 'number'
  return (
    value['kind'] === 'cancel' && ['root', 'agent', 'reason'].every((key) => typeof value[key] === 'string')
  )
}

export function isQueuedRequest(value: unknown): value is QueuedRequest {
  if (!isObject(value)) return false
  const { kind, request, session, work, begin } = value
  if (kind === 'tell') {
    const isTold = typeof session === 'string' && isWork(work) && typeof work['message'] === 'string'
    return isTold && (begin === undefined || (isObject(begin) && typeof begin['agent'] === 'string'))
  }
  if (kind !== 'start' || !isObject(request)) return false
  return typeof request['id'] === 'string' && typeof request['agent'] === 'string' && isWork(request['work'])
}

function isWork(value: unknown): value is Record<string, unknown> {
  return isObject(value) && typeof value['content'] === 'string'
}
