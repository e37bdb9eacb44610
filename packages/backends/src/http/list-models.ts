import type { Endpoint } from './endpoint.ts'
import { sendAndReadReply, type Transport } from './exchange.ts'
import { findKey } from './key.ts'
import { connectionProblem, likelyCause, type Problem } from './likely-cause.ts'
import { isWebPage, webPageName } from './web-page.ts'

/** A model in a server's list. */
export interface ListResult {
  readonly window: number | undefined
}

export type ModelListing =
  | { readonly kind: 'listed'; readonly models: ReadonlyMap<string, ListResult> }
  /** The server does not list models; `reason` ends a sentence, and `advice` are sentences on what to do. */
  | {
      readonly kind: 'unlisted'
      readonly reason: string
      readonly advice?: string
      /** The server requires another key, or any key. */
      readonly rejectsKey?: boolean
    }

/** The limit covers the whole request, so a separate idle timeout is not needed. */
const never = 2 ** 31 - 1

/** Requests the server's models. Never takes longer than `limit` milliseconds, and never fails. */
export async function listModels(
  endpoint: Endpoint,
  transport: Transport,
  limit: number,
): Promise<ModelListing> {
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
): Promise<ModelListing> {
  const found = endpoint.key.known ?? (await findKey(endpoint.key, signal))
  const because = (problem: Problem) => likelyCause(problem, endpoint.kind)
  if (found === undefined) return listFailure(`no key was available within ${limit} ms`)
  if (found.kind === 'failed') return listFailure(found.message.replace(/\.$/, ''))
  let text = ''
  const ended = await sendAndReadReply(
    transport,
    {
      method: 'GET',
      target: endpoint.target('', endpoint.kind.listPath),
      headers: endpoint.headers(found.key),
      idleTimeout: never,
      push: (chunk) => {
        text += chunk
        return false
      },
    },
    signal,
  )
  if (ended.kind === 'status') {
    const { status } = ended
    if (status === 401 || status === 403)
      return {
        ...listFailure(`the server responded with status ${status}`, endpoint.key.advice),
        rejectsKey: status === 401,
      }
    if (status === 404) return listFailure('the server responded with status 404', because('not-found'))
    return listFailure(`the server responded with status ${status}`)
  }
  if (ended.kind === 'broken') {
    const problem = connectionProblem(ended.code)
    return listFailure(`the connection failed with ${ended.code}`, problem && because(problem))
  }
  if (ended.kind !== 'complete')
    return listFailure(`the server did not answer within ${limit} ms`, because('silent'))
  if (text.trim() === '') return listFailure('the answer is empty', because('empty'))
  if (isWebPage(text))
    return listFailure(`the server responded with ${oneLine(webPageName(text))}`, because('web-page'))
  return read(text, because('not-json'))
}

function read(text: string, advice: string): ModelListing {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return listFailure('the answer is not JSON', advice)
  }
  const { data, models } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >
  const rows = [value, data, models].find(Array.isArray) as
    | readonly (Record<string, unknown> | null)[]
    | undefined
  if (rows === undefined) return listFailure('the response has an unknown format', advice)
  const named = rows.flatMap((row): [string, ListResult][] => {
    const name = row?.['id'] ?? row?.['name']
    return typeof name === 'string' ? [[name, { window: windowOf(row ?? {}) }]] : []
  })
  return { kind: 'listed', models: new Map(named) }
}

// Servers that report it use different names.
function windowOf(row: Record<string, unknown>): number | undefined {
  const fields = ['loaded_context_length', 'max_model_len', 'context_length', 'context_window']
  return fields.map((field) => row[field]).find((value) => typeof value === 'number' && value > 0) as
    | number
    | undefined
}

function listFailure(reason: string, advice?: string): Extract<ModelListing, { kind: 'unlisted' }> {
  return { kind: 'unlisted', reason, ...(advice !== undefined && { advice }) }
}

/** Makes text from a server safe to show in a message. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal.
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, 80)
}
