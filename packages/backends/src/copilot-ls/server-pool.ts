/**
 * The server processes. Tools are registered for a whole process, so there is one process for each set of tools, shared by
 * all sessions with that set.
 *
 * 1. There are at most `limit` processes, except for 2. A further set waits for a process without a running turn, which is
 *    then stopped.
 * 2. No session waits for itself, or forever. One more process is opened if each only runs turns of sessions that wait,
 *    through a delegation, for a session in the queue; or if a session has waited for `patience`. A tool can keep a turn
 *    open for hours. Other sessions must not fail because of it, so the limit is exceeded, and extra processes are
 *    stopped when idle.
 * 3. A turn starts in the same step in which its process is chosen, so that no process is stopped in between.
 * 4. An unused process is stopped after a while. Its conversations are a cache: sessions start new ones.
 */

import type { Clock } from '@cadre/core'
import type { ServerProcess } from './server-process.ts'
import type { ToolSet } from './tool-set.ts'

/** The pool's view of a server. */
export interface PooledServer {
  readonly process: Pick<ServerProcess, 'isRunning' | 'stop'>
  readonly isBusy: boolean
  /** The sessions with turns in it. */
  readonly sessions: readonly string[]
  /** Resolves with a sentence about the error, if any. */
  register(set: ToolSet): Promise<string | undefined>
}

export interface PoolOptions<Server> {
  /** Starts a server without tools. `changed` must be called when a turn in it, or its process, has ended. */
  readonly open: (changed: () => void) => Promise<OpenedServer<Server>>
  readonly clock: Clock
  readonly limit?: number
  /** Milliseconds after which an unused process is stopped. */
  readonly idleAfter?: number
  /** How long a set waits for one of the `limit` processes, in milliseconds. */
  readonly waitTimeoutMs?: number
}

/** `isTransient`: the process died, so another one may succeed. */
export interface PoolFailure {
  readonly kind: 'failed'
  readonly message: string
  readonly isTransient?: boolean
}

export type OpenedServer<Server> = { readonly kind: 'opened'; readonly server: Server } | PoolFailure

export type StartedTurn<T> =
  | { readonly kind: 'begun'; readonly value: T }
  | PoolFailure
  | { readonly kind: 'cancelled' }

interface StepSlot<Server> {
  set: ToolSet | undefined
  /** Undefined while it starts, or its tools are being registered. */
  server: Server | undefined
  users: number
  cancelTimer: (() => void) | undefined
}

interface Waiter<Server> {
  readonly set: ToolSet | undefined
  readonly session: string | undefined
  hasWaited: boolean
  readonly begin: (slot: StepSlot<Server>, server: Server) => void
  readonly fail: (failed: PoolFailure) => void
}

export class ServerPool<Server extends PooledServer> {
  readonly #options: Required<PoolOptions<Server>>
  readonly #slots: StepSlot<Server>[] = []
  #waiters: Waiter<Server>[] = []
  readonly #parents = new Map<string, string>()
  #isPumping = false
  #isDue = false

  constructor(options: PoolOptions<Server>) {
    this.#options = { limit: 4, idleAfter: 5 * 60_000, waitTimeoutMs: 2 * 60_000, ...options }
  }

  get size(): number {
    return this.#slots.length
  }

  /** Records which session delegated to a session, and may wait for it. */
  note(session: string, parent: string | undefined): void {
    if (parent !== undefined) this.#parents.set(session, parent)
  }

  forget(session: string): void {
    this.#parents.delete(session)
  }

  /** Starts a turn in a process with these tools, as soon as there is one. */
  begin<T>(
    set: ToolSet,
    session: string,
    begin: (server: Server) => T,
    signal: AbortSignal,
  ): Promise<StartedTurn<T>> {
    return this.#wait(set, session, (_slot, server) => begin(server), signal)
  }

  /** Sends a request for which the tools do not matter. The process is not stopped meanwhile. */
  async ask<T>(ask: (server: Server) => Promise<T>, signal: AbortSignal): Promise<StartedTurn<T>> {
    const begun = await this.#wait(
      undefined,
      undefined,
      (slot, server) => {
        slot.users += 1
        return ask(server).finally(() => {
          slot.users -= 1
          this.#pump()
        })
      },
      signal,
    )
    return begun.kind === 'begun' ? { kind: 'begun', value: await begun.value } : begun
  }

  /** Stops all processes. Later requests start a new one. */
  async close(): Promise<void> {
    for (const waiter of this.#waiters.splice(0))
      waiter.fail({ kind: 'failed', message: 'Cadre is shutting down.' })
    await Promise.all(this.#slots.splice(0).map((slot) => stop(slot)))
  }

  #wait<T>(
    set: ToolSet | undefined,
    session: string | undefined,
    begin: (slot: StepSlot<Server>, server: Server) => T,
    signal: AbortSignal,
  ): Promise<StartedTurn<T>> {
    if (signal.aborted) return Promise.resolve({ kind: 'cancelled' })
    return new Promise((resolve) => {
      const waiter: Waiter<Server> = {
        set,
        session,
        hasWaited: false,
        begin: (slot, server) => end({ kind: 'begun', value: begin(slot, server) }),
        fail: (failed) => end(failed),
      }
      const cancelTimer = this.#options.clock.after(this.#options.waitTimeoutMs, () => {
        waiter.hasWaited = true
        this.#pump()
      })
      const end = (result: StartedTurn<T>) => {
        cancelTimer()
        signal.removeEventListener('abort', abort)
        this.#waiters = this.#waiters.filter((other) => other !== waiter)
        resolve(result)
      }
      const abort = () => {
        end({ kind: 'cancelled' })
        this.#pump()
      }
      signal.addEventListener('abort', abort)
      this.#waiters.push(waiter)
      this.#pump()
    })
  }

  /** Stopping a process may call this again while it runs: then it runs again. */
  #pump(): void {
    this.#isDue = true
    if (this.#isPumping) return
    this.#isPumping = true
    try {
      while (this.#isDue) {
        this.#isDue = false
        this.#pumpOnce()
      }
    } finally {
      this.#isPumping = false
    }
  }

  #pumpOnce(): void {
    for (const slot of [...this.#slots]) if (slot.server?.process.isRunning === false) this.#remove(slot)
    for (const waiter of [...this.#waiters]) {
      const slot = this.#slotFor(waiter)
      if (slot?.server !== undefined) waiter.begin(slot, slot.server)
    }
    for (const slot of [...this.#slots]) this.#watchIdle(slot)
  }

  /** Returns a process for a waiter, opened if needed; `undefined` while it must wait. */
  #slotFor({ set, hasWaited }: Waiter<Server>): StepSlot<Server> | undefined {
    if (set === undefined)
      return this.#slots.find(({ server }) => server) ?? this.#slots[0] ?? this.#open(undefined)
    const own = this.#slots.find((slot) => slot.set?.key === set.key)
    if (own !== undefined) return own
    const blank = this.#slots.find((slot) => slot.set === undefined)
    if (blank !== undefined) return this.#arm(blank, set)
    if (this.#slots.length < this.#options.limit) return this.#open(set)
    const idle = this.#slots.find((slot) => isIdle(slot) && !this.#isWanted(slot))
    if (idle !== undefined) {
      this.#stop(idle)
      return this.#open(set)
    }
    return hasWaited || this.#isStuck() ? this.#open(set) : undefined
  }

  #open(set: ToolSet | undefined): StepSlot<Server> {
    const slot: StepSlot<Server> = { set, server: undefined, users: 0, cancelTimer: undefined }
    this.#slots.push(slot)
    void this.#options
      .open(() => this.#pump())
      .then(async (opened) => {
        if (opened.kind === 'failed') return this.#failed(slot, opened)
        await this.#ready(slot, opened.server)
      })
      .catch((error) => this.#failed(slot, { kind: 'failed', message: failedStart(error) }))
    return slot
  }

  /** Registers these tools in a process without tools. */
  #arm(slot: StepSlot<Server>, set: ToolSet): StepSlot<Server> {
    const { server } = slot
    slot.set = set
    // Still starting: the tools are registered afterwards.
    if (server === undefined) return slot
    slot.server = undefined
    void this.#ready(slot, server)
    return slot
  }

  async #ready(slot: StepSlot<Server>, server: Server): Promise<void> {
    const problem = slot.set && (await server.register(slot.set).catch(failedStart))
    if (problem !== undefined || !this.#slots.includes(slot)) {
      const isTransient = !server.process.isRunning
      void server.process.stop()
      if (problem !== undefined) this.#failed(slot, { kind: 'failed', message: problem, isTransient })
      return
    }
    slot.server = server
    this.#pump()
  }

  #failed(slot: StepSlot<Server>, failed: PoolFailure): void {
    const { set } = slot
    this.#remove(slot)
    for (const waiter of [...this.#waiters])
      if (waiter.set === undefined || waiter.set.key === set?.key) waiter.fail(failed)
    this.#pump()
  }

  #isWanted(slot: StepSlot<Server>): boolean {
    return this.#waiters.some(({ set }) => set?.key === slot.set?.key)
  }

  /** True if no process can become free: everything that runs in them waits for a session in the queue. */
  #isStuck(): boolean {
    const waited = new Set(this.#waiters.flatMap(({ session }) => this.#ancestors(session)))
    return this.#slots.every(
      ({ server, users }) =>
        server !== undefined && users === 0 && server.sessions.every((id) => waited.has(id)),
    )
  }

  #ancestors(session: string | undefined): string[] {
    const found: string[] = []
    let next = session === undefined ? undefined : this.#parents.get(session)
    while (next !== undefined && !found.includes(next)) {
      found.push(next)
      next = this.#parents.get(next)
    }
    return found
  }

  #watchIdle(slot: StepSlot<Server>): void {
    if (!isIdle(slot)) {
      slot.cancelTimer?.()
      slot.cancelTimer = undefined
      return
    }
    if (this.#slots.length > this.#options.limit && !this.#isWanted(slot)) this.#stop(slot)
    else
      slot.cancelTimer ??= this.#options.clock.after(this.#options.idleAfter, () => {
        slot.cancelTimer = undefined
        if (isIdle(slot)) this.#stop(slot)
      })
  }

  #stop(slot: StepSlot<Server>): void {
    this.#remove(slot)
    void stop(slot)
  }

  #remove(slot: StepSlot<Server>): void {
    const at = this.#slots.indexOf(slot)
    if (at >= 0) this.#slots.splice(at, 1)
    slot.cancelTimer?.()
  }
}

function failedStart(error: unknown): string {
  return `cannot use the Copilot language server: ${error instanceof Error ? error.message : error}`
}

function isIdle({ server, users }: StepSlot<PooledServer>): boolean {
  return server !== undefined && users === 0 && !server.isBusy
}

async function stop({ server }: StepSlot<PooledServer>): Promise<void> {
  await server?.process.stop()
}
