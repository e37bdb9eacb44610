import type { BackendContext } from '../backend.ts'
import type { Endpoint } from './endpoint.ts'
import { exchange, type Transport } from './exchange.ts'
import { findKey } from './key.ts'

/** A model as a server lists it. */
export interface Listed {
  readonly window: number | undefined
}

export type Listing =
  | { readonly kind: 'listed'; readonly models: ReadonlyMap<string, Listed> }
  /** The server does not say; `reason` ends a sentence. */
  | { readonly kind: 'unlisted'; readonly reason: string }

/** The limit is for all of it together, so silence needs none of its own. */
const never = 2 ** 31 - 1

/** Asks the server for its models. Never takes longer than the configured time, and never fails. */
export async function listModels(
  endpoint: Endpoint,
  transport: Transport,
  { config }: BackendContext,
): Promise<Listing> {
  const limit = config.openai?.listTimeout ?? 1000
  const stopper = new AbortController()
  const cancelTimer = transport.clock.after(limit, () => stopper.abort())
  try {
    return await ask(endpoint, transport, limit, stopper.signal)
  } finally {
    cancelTimer()
  }
}

async function ask(
  endpoint: Endpoint,
  transport: Transport,
  limit: number,
  signal: AbortSignal,
): Promise<Listing> {
  const found = endpoint.key.known ?? (await findKey(endpoint.key, signal))
  if (found === undefined) return unlisted(`no key was available within ${limit} ms`)
  if (found.kind === 'failed') return unlisted(found.message.replace(/\.$/, ''))
  let text = ''
  const ended = await exchange(
    transport,
    {
      method: 'GET',
      target: endpoint.target('', '/models'),
      headers: endpoint.headers(found.key),
      idleTimeout: never,
      push: (chunk) => {
        text += chunk
        return false
      },
    },
    signal,
  )
  if (ended.kind === 'status') return unlisted(`it answered ${ended.status}`)
  if (ended.kind === 'broken') return unlisted(`the connection failed with ${ended.code}`)
  if (ended.kind !== 'complete') return unlisted(`it did not answer within ${limit} ms`)
  return read(text)
}

function read(text: string): Listing {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return unlisted('its answer is not JSON')
  }
  const { data, models } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >
  const rows = [value, data, models].find(Array.isArray) as
    | readonly (Record<string, unknown> | null)[]
    | undefined
  if (rows === undefined) return unlisted('its answer has an unknown format')
  const named = rows.flatMap((row): [string, Listed][] => {
    const name = row?.['id'] ?? row?.['name']
    return typeof name === 'string' ? [[name, { window: windowOf(row ?? {}) }]] : []
  })
  return { kind: 'listed', models: new Map(named) }
}

// Servers that say it at all each have their own word for it.
function windowOf(row: Record<string, unknown>): number | undefined {
  const fields = ['loaded_context_length', 'max_model_len', 'context_length', 'context_window']
  return fields.map((field) => row[field]).find((value) => typeof value === 'number' && value > 0) as
    | number
    | undefined
}

function unlisted(reason: string): Listing {
  return { kind: 'unlisted', reason }
}
