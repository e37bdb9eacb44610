import type { Clock } from '@cadre/core'
import { findServer, type ServerPaths } from '../copilot-ls/find-server.ts'
import type { ServerProcess } from '../copilot-ls/server-process.ts'
import { systemClock } from '../pause.ts'

export interface CopilotOptions extends ServerPaths {
  readonly clock?: Clock
}

export type ServerResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The language server is not installed. */
  | { readonly kind: 'missing' }
  /** It could not start; `message` is a full sentence. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'cancelled' }

/** Starts a language server, runs `work` with it, and ends it. If aborted, it waits for nothing. */
export async function withServer<T>(
  { env, configured, clock = systemClock }: CopilotOptions,
  work: (server: ServerProcess) => Promise<T>,
  signal: AbortSignal,
): Promise<ServerResult<T>> {
  const command = findServer({ env, configured })
  if (command === undefined) return { kind: 'missing' }
  if (signal.aborted) return { kind: 'cancelled' }
  const { startServer } = await import('../copilot-ls/server-process.ts')
  // A server alone does not keep the process alive, but a caller is waiting.
  const alive = setInterval(() => {}, 2 ** 30)
  const starting = startServer({ command, env, clock })
  let cancel = () => {}
  const cancelled = new Promise<ServerResult<T>>((resolve) => {
    cancel = () => resolve({ kind: 'cancelled' })
    signal.addEventListener('abort', cancel, { once: true })
  })
  try {
    return await Promise.race([cancelled, done()])
  } finally {
    signal.removeEventListener('abort', cancel)
    const end = starting.then(async (started) => {
      if (started.kind === 'failed') return
      // On a graceful shutdown it would first send its telemetry, which takes time.
      started.server.kill()
      await started.server.ended
    })
    if (!signal.aborted) await end
    clearInterval(alive)
  }

  async function done(): Promise<ServerResult<T>> {
    const started = await starting
    if (started.kind === 'failed') return started
    return { kind: 'done', value: await work(started.server) }
  }
}
