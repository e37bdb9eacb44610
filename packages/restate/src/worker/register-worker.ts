import { CadreError, messageOf } from '@cadre/core'
import { placeNames } from '../place-names.ts'

export interface RegisterOptions {
  /** The address of the server's admin API, such as `http://127.0.0.1:9070`. */
  readonly admin: string
  /** The address at which the server reaches the worker, or the load balancer in front of several. */
  readonly url: string
  readonly place: string
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces a deployment with the same address. Default: true, for a worker that was restarted with new code. */
  readonly force?: boolean
}

/** Registers a worker at the server and returns the id of its deployment. New trees and the next lives of old ones run on it. */
export async function registerWorker(options: RegisterOptions): Promise<string> {
  const { url, place, force = true } = options
  const names = placeNames(place)
  const deployment = (await ask(options, 'deployments', { uri: url, force })) as { id: string }
  const service = (await ask(options, `services/${names.trees}`)) as ServiceInfo
  const run = service.handlers.find(({ name }) => name === 'run')
  checkRun(run, place)
  return deployment.id
}

interface HandlerInfo {
  readonly name: string
  readonly inactivity_timeout?: string
  readonly enable_lazy_state?: boolean
  readonly retry_policy?: { readonly max_attempts?: number | null }
}

interface ServiceInfo {
  readonly handlers: readonly HandlerInfo[]
}

/** What a tree needs, and the setting that prevents it. The server's configuration may override what a worker asks for. */
function checkRun(run: HandlerInfo | undefined, place: string): void {
  if (run === undefined)
    throw new CadreError('configuration', `the worker of place ${place} does not serve trees.`)
  const { enable_lazy_state: isLazy, inactivity_timeout: timeout = '', retry_policy: retries } = run
  const attempts = retries?.max_attempts ?? Number.POSITIVE_INFINITY
  const fault =
    isLazy !== true
      ? 'loads the whole state of a tree, so trees beyond 32 MiB could not be resumed. Upgrade the server to 1.7 or later, or enable lazy state'
      : !/\d(?:d|days?|w|weeks?|M|months?|y|years?)\b/.test(timeout)
        ? `suspends invocations after ${timeout || 'its default time'}, which would interrupt long calls. Remove the limit on inactivity-timeout`
        : attempts < leastAttempts
          ? `pauses a tree after ${attempts} failed attempts. Remove the limit on max-attempts`
          : undefined
  if (fault !== undefined)
    throw new CadreError('configuration', `the Restate server ${fault} in the server's configuration.`)
}

/** At one attempt per second, more than ten days. */
const leastAttempts = 1_000_000

async function ask({ admin, headers }: RegisterOptions, path: string, body?: unknown): Promise<unknown> {
  const address = `${admin.replace(/\/+$/, '')}/${path}`
  let response: Response
  try {
    response = await fetch(address, {
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
  } catch (error) {
    const { cause } = error as { cause?: unknown }
    throw new CadreError(
      'backend',
      `cannot reach the admin API of the Restate server at ${admin}: ${messageOf(cause ?? error)}. Start the server, or correct engine.admin in config.yaml.`,
      { cause: error },
    )
  }
  const text = await response.text()
  if (!response.ok)
    throw new CadreError('backend', `the Restate server answered ${response.status} to ${path}: ${text}`)
  return JSON.parse(text)
}
