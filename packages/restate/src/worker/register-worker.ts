import { CadreError, messageOf } from '@cadre/core'
import { type PlaceNames, placeNames } from '../place-names.ts'
import { restateFailure } from '../restate-failure.ts'
import { checkService, type ServiceInfo } from './check-service.ts'

export interface RegisterOptions {
  /** The address of the server's admin API, such as `http://127.0.0.1:9070`. */
  readonly admin: string
  /** The address at which the server reaches the worker, or the load balancer in front of several. */
  readonly url: string
  readonly place: string
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces a deployment with the same address. Default: true, for a worker that was restarted with new code. */
  readonly force?: boolean
  /**
   * How long to try again while the server cannot reach the worker, in milliseconds. Default: 30 seconds, because a load balancer may take
   * that long to notice that the worker is running.
   */
  readonly patience?: number
  /** Called with the reason when the server cannot reach the worker and this tries again. */
  readonly report?: (message: string) => void
  readonly signal?: AbortSignal
}

export interface HandOverOptions extends Pick<RegisterOptions, 'admin' | 'url' | 'place' | 'headers'> {
  /** The deployment of the worker that stops. */
  readonly deployment: string
  /** The addresses of workers that are running. */
  readonly others: readonly string[]
}

/** How long a worker that stops waits for the server and for one other worker, in milliseconds. */
const handOverLimit = 5_000

/** Registers a worker at the server and returns the id of its deployment. New trees and the next lives of old ones run on it. */
export async function registerWorker(options: RegisterOptions): Promise<string> {
  const { place } = options
  const names = placeNames(place)
  const deployment = await register(options)
  for (const [part, name] of Object.entries(names)) {
    const service = (await ask(options, `services/${name}`)) as ServiceInfo
    checkService(service, { part: part as keyof PlaceNames, name, place })
  }
  return deployment.id
}

/**
 * Lets the server send everything to another worker, if this one, which stops, was the last to register: otherwise, the place would stand
 * still although another worker is running. Returns the address of the other worker, or `undefined` if nothing has changed. Rejects if the
 * server does not answer.
 */
export async function handOverPlace(options: HandOverOptions): Promise<string | undefined> {
  const { deployment, others, place, url } = options
  const within = () => ({ ...options, patience: 0, signal: AbortSignal.timeout(handOverLimit) })
  const { trees } = placeNames(place)
  const newest = (await ask(within(), `services/${trees}`)) as { deployment_id: string }
  if (newest.deployment_id !== deployment) return undefined
  const all = (await ask(within(), 'deployments')) as { deployments: readonly Deployment[] }
  const known = all.deployments
    .filter(({ id, services }) => id !== deployment && services.some(({ name }) => name === trees))
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
  const running = new Set(others.map(withoutSlash))
  // Behind a load balancer, other workers have the same address.
  if (running.has(withoutSlash(url))) return undefined
  for (const { uri = '' } of known) {
    if (!running.has(withoutSlash(uri))) continue
    try {
      await register({ ...within(), url: uri })
      return withoutSlash(uri)
    } catch (error) {
      if (!(error instanceof CadreError)) throw error
    }
  }
  return undefined
}

interface Deployment {
  readonly id: string
  readonly uri?: string
  readonly created_at: string
  readonly services: readonly { readonly name: string }[]
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '')

async function register(options: RegisterOptions): Promise<{ readonly id: string }> {
  const { url, force = true, patience = 30_000, report } = options
  const until = performance.now() + patience
  let isReported = false
  for (let pause = 250; ; pause = Math.min(2_000, pause * 2)) {
    try {
      return (await ask(options, 'deployments', { uri: url, force })) as { id: string }
    } catch (error) {
      if (!(error instanceof WorkerUnreachable) || performance.now() + pause > until) throw error
      if (!isReported) report?.(`${messageOf(error)} Trying again…`)
      isReported = true
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

/** The server got no answer at the address of the worker. It may get one later. */
class WorkerUnreachable extends CadreError {}

function workerFailure(url: string, reason: string): CadreError {
  if (reason.includes('401 Unauthorized'))
    return new CadreError(
      'configuration',
      `the worker at ${url} rejected the signature of the Restate server. Set engine.identityKeys to the server's public key, which it logs when it starts.`,
    )
  const what = `the Restate server cannot reach this worker at ${url}: ${reason}.`
  return reason.includes('invalid peer certificate')
    ? new CadreError(
        'configuration',
        `${what} If your own certificate authority signed the certificate, set SSL_CERT_FILE for the server to the file of that authority.`,
      )
    : new WorkerUnreachable(
        'backend',
        `${what} Check --host, --port and --url, and the proxy or firewall between the server and this worker.`,
      )
}

/** Returns the reason if the server answers that it cannot reach the worker. */
function unreachableReason(answer: string): string | undefined {
  try {
    const { message, restate_code: code } = JSON.parse(answer) as Record<string, unknown>
    if (code !== 'META0003') return undefined
    // The code again, and the address that the caller adds.
    return String(message)
      .replace(/^(\[META0003\] )*(error when calling '[^']*': )?/, '')
      .replaceAll('\n', ' ')
  } catch {
    return undefined
  }
}

async function ask(
  { admin, url, headers, signal }: RegisterOptions,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const address = `${admin.replace(/\/+$/, '')}/${path}`
  let response: Response
  try {
    response = await fetch(address, {
      headers: { ...headers, 'content-type': 'application/json' },
      ...(signal && { signal }),
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
  } catch (error) {
    throw new CadreError(
      'backend',
      `cannot reach the admin API of the Restate server at ${admin}: ${restateFailure(error, 'engine.admin')}`,
      { cause: error },
    )
  }
  const text = await response.text()
  const unreachable = response.ok ? undefined : unreachableReason(text)
  if (unreachable !== undefined) throw workerFailure(url, unreachable)
  if (!response.ok)
    throw new CadreError('backend', `the Restate server answered ${response.status} to ${path}: ${text}`)
  return JSON.parse(text)
}
