import { CadreError } from '@cadre/core'
import type { BackendContext } from '../backend.ts'
import { pause } from '../pause.ts'
import { backoff } from './backoff.ts'
import type { Endpoint } from './endpoint.ts'
import { sendAndReadReply, type Transport } from './exchange.ts'
import { findKey } from './key.ts'
import {
  connectionFailure,
  invalidReplyFailure,
  type ServerFailureContext,
  silentServerFailure,
  statusFailure,
} from './server-failure.ts'

export interface JsonRequest {
  readonly endpoint: Endpoint
  readonly transport: Transport
  readonly context: Pick<BackendContext, 'config' | 'random'>
  readonly model: string
  readonly path: string
  readonly body: object
}

/** Longer than any answer: a server that never ends must not exhaust the memory. */
const maxLength = 256 * 1024 * 1024

/** The server does not have this path. */
export class NotFound extends CadreError {}

/** Posts JSON and returns the JSON of the answer, with retries. Rejects with a `CadreError`, or if aborted. */
export async function requestJson(request: JsonRequest, signal: AbortSignal): Promise<unknown> {
  const { endpoint, transport, model, path, body } = request
  const settings = request.context.config[endpoint.kind.section]
  const tries = settings?.tries ?? 5
  const idleTimeout = settings?.idleTimeout ?? 120_000
  for (let failed = 1; ; failed++) {
    const found = endpoint.key.known ?? (await findKey(endpoint.key, signal))
    if (found === undefined) throw new CadreError('cancelled', 'the request was cancelled.')
    if (found.kind === 'failed') throw new CadreError('backend', found.message)
    let text = ''
    const ended = await sendAndReadReply(
      transport,
      {
        method: 'POST',
        target: endpoint.target(model, path),
        headers: endpoint.headers(found.key),
        body: JSON.stringify(body),
        idleTimeout,
        push(chunk) {
          text += chunk
          return text.length > maxLength
        },
      },
      signal,
    )
    const about: ServerFailureContext = {
      endpoint,
      model,
      offersTools: false,
      key: found.key,
      now: transport.clock.now(),
      tries,
      idleTimeout,
    }
    if (ended.kind === 'aborted') throw new CadreError('cancelled', 'the request was cancelled.')
    if (ended.kind === 'complete') {
      try {
        return JSON.parse(text) as unknown
      } catch {
        throw new CadreError('backend', invalidReplyFailure('the reply is not JSON', about).failure.message)
      }
    }
    if (ended.kind === 'status' && (ended.status === 404 || ended.status === 405))
      throw new NotFound('backend', statusFailure(ended, about).failure.message)
    const trouble =
      ended.kind === 'status'
        ? statusFailure(ended, about)
        : ended.kind === 'silent'
          ? silentServerFailure(about)
          : connectionFailure(ended.code, about)
    if (failed >= trouble.tries) throw new CadreError('backend', trouble.failure.message)
    const wait = backoff(failed, request.context.random, trouble.after)
    if (!(await pause(transport.clock, wait, signal)))
      throw new CadreError('cancelled', 'the request was cancelled.')
  }
}
