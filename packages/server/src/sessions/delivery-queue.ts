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
import { isObject, namesIn, readRegularFile, systemErrorCode } from '@cadre/disk'
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

export interface QueuedDelivery {
  readonly file: string
  readonly session: string
  readonly request: QueuedRequest
}

const folder = ['storage', 'requests', 'queued'] as const

export class DeliveryQueue {
  readonly #home: Home
  readonly #queues = new Map<string, QueuedDelivery[]>()
  #last = 0

  constructor(home: Home) {
    this.#home = home
  }

  /** Loads the requests of an earlier process. Throws system errors; call it again when the system has recovered. */
  load(): void {
    const known = new Set([...this.#queues.values()].flat().map(({ file }) => file))
    const names = namesIn(this.#home.at(...folder)).filter((name) => /^\d[^/]*\.json$/.test(name))
    for (const file of names.toSorted()) {
      this.#last = Math.max(this.#last, Number(/^\d{1,15}/.exec(file)?.[0] ?? 0))
      if (known.has(file)) continue
      const request = read(path.join(this.#home.at(...folder), file))
      if (request !== undefined) this.#keep({ file, session: sessionOf(request), request })
    }
  }

  /** Throws system errors; the request is then not queued. */
  add(request: QueuedRequest): void {
    this.#last = Math.max(this.#last + 1, Date.now())
    const file = `${String(this.#last).padStart(14, '0')}-${process.pid}.json`
    writeFileAtomically(this.#home, [...folder, file], JSON.stringify(request), { durable: true })
    this.#keep({ file, session: sessionOf(request), request })
  }

  /** In order of delivery. */
  of(session: string): readonly QueuedDelivery[] {
    return this.#queues.get(session) ?? []
  }

  has(queued: QueuedDelivery): boolean {
    return this.of(queued.session).includes(queued)
  }

  /** Whether this message is queued for this session. */
  hasMessage(session: string, message: string): boolean {
    return this.of(session).some(({ request }) => workOf(request).message === message)
  }

  /** Sessions with queued requests. */
  sessions(): readonly string[] {
    return [...this.#queues.keys()]
  }

  /** Throws system errors; the request then stays queued. */
  remove(queued: QueuedDelivery): void {
    const file = this.#home.at(...folder, queued.file)
    rememberOwnWrite(file, undefined)
    rmSync(file, { force: true })
    const left = this.of(queued.session).filter((one) => one !== queued)
    if (left.length === 0) this.#queues.delete(queued.session)
    else this.#queues.set(queued.session, left)
  }

  #keep(queued: QueuedDelivery): void {
    const { session } = queued
    this.#queues.set(
      session,
      [...this.of(session), queued].toSorted((a, b) => (a.file < b.file ? -1 : 1)),
    )
  }
}

/** How to start the session of a request, if the request may start one. */
export function startRequestOf({ request }: QueuedDelivery): KeepRequest | undefined {
  if (request.kind === 'start') return request.request
  return request.begin && { ...request.begin, id: request.session, work: request.work }
}

function sessionOf(request: QueuedRequest): string {
  return request.kind === 'start' ? request.request.id : request.session
}

function workOf(request: QueuedRequest) {
  return request.kind === 'start' ? request.request.work : request.work
}

function read(file: string): QueuedRequest | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(file).toString('utf8'))
    return isRequest(value) ? value : undefined
  } catch (error) {
    if (systemErrorCode(error) !== undefined) throw error
    return undefined
  }
}

function isRequest(value: unknown): value is QueuedRequest {
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
