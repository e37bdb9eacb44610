import { CadreError } from '@cadre/core'
import { restateFailure } from './restate-failure.ts'

export interface IngressOptions {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Aborts all requests. */
  readonly signal?: AbortSignal
  /** How long to wait for an answer, in milliseconds. Otherwise, `fetch` decides: five minutes. */
  readonly answerWithin?: number
}

/** Calls handlers through the HTTP ingress of a Restate server. */
export class Ingress {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #signal: AbortSignal | undefined
  readonly #answerWithin: number | undefined

  constructor({ url, headers = {}, signal, answerWithin }: IngressOptions) {
    // `fetch` rejects such an address, and prints it.
    if (url.includes('@'))
      throw new CadreError(
        'configuration',
        'the address of the Restate server contains a user name or password. Remove it from engine.ingress in config.yaml.',
      )
    this.#url = url.replace(/\/+$/, '')
    this.#headers = headers
    this.#signal = signal
    this.#answerWithin = answerWithin
  }

  /** Calls a handler and returns its result. */
  call(
    object: string,
    key: string,
    handler: string,
    input?: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> {
    return this.#post(`${object}/${encodeURIComponent(key)}/${handler}`, input, {}, signal)
  }

  /** Resolves when the server has stored the call durably. `once`: the server ignores a repeated call with the same value. */
  async send(object: string, key: string, handler: string, input: unknown, once?: string): Promise<void> {
    const headers = once === undefined ? {} : { 'idempotency-key': once }
    await this.#post(`${object}/${encodeURIComponent(key)}/${handler}/send`, input, headers)
  }

  async #post(
    path: string,
    input: unknown,
    headers: Readonly<Record<string, string>> = {},
    own?: AbortSignal,
  ): Promise<unknown> {
    const body = input === undefined ? undefined : JSON.stringify(input)
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const limit = this.#answerWithin
    const late = limit === undefined ? undefined : AbortSignal.timeout(limit)
    const signal = anyOf([this.#signal, own])
    const ends = anyOf([late, signal])
    let response: Response
    let text: string
    try {
      response = await fetch(`${this.#url}/${path}`, {
        method: 'POST',
        headers: { ...this.#headers, ...type, ...headers },
        ...(body !== undefined && { body }),
        ...(ends && { signal: ends }),
      })
      text = await response.text()
    } catch (error) {
      if (signal?.aborted)
        throw new CadreError(
          'timeout',
          `the Restate server at ${this.#url} did not answer in time. Check that it is running, or correct engine.ingress in config.yaml.`,
          { cause: error },
        )
      if (late?.aborted || isHeadersTimeout(error)) {
        const waited = limit === undefined ? 'five minutes' : `${limit / 1000} seconds`
        throw new CadreError(
          'backend',
          `no worker has answered ${path.split('/')[0]} at the Restate server ${this.#url} for ${waited}. Start a worker for this place.`,
          { cause: error },
        )
      }
      throw new CadreError(
        'backend',
        `cannot reach the Restate server at ${this.#url}: ${restateFailure(error, 'engine.ingress')}`,
        { cause: error },
      )
    }
    if (response.status === 404) {
      throw new CadreError(
        'backend',
        `the Restate server at ${this.#url} does not know ${path.split('/')[0]}. Start a worker for this place, or correct engine.place.`,
        { cause: unknownObject },
      )
    }
    if (!response.ok) {
      throw new CadreError('backend', `the Restate server answered ${response.status} to ${path}: ${text}`)
    }
    return text === '' ? undefined : JSON.parse(text)
  }
}

function anyOf(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined)
  return given.length > 1 ? AbortSignal.any(given) : given[0]
}

/** Returns `otherwise` if no worker of the place has the object, because it runs an older version. */
export async function ifKnown<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if ((error as { cause?: unknown }).cause === unknownObject) return otherwise
    throw error
  }
}

const unknownObject = Symbol('unknown object')

/** The server has the request, and `fetch` does not wait any longer for the answer of a worker. */
function isHeadersTimeout(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } }
  return cause?.code === 'UND_ERR_HEADERS_TIMEOUT'
}
