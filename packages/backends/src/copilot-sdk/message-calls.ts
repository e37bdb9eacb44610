import type { SdkEvent } from './sdk-types.ts'

export interface RoundCall {
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it, valid or not. */
  readonly arguments: string
  /** The pending request of the runtime. Absent if it has answered the call itself, with an error. */
  readonly request?: string
}

/** The owner of a tool: Cadre, the runtime, or nobody. */
export type ToolOwner = 'ours' | 'runtime' | 'nobody'

interface OpenCall {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

type Data = SdkEvent['data']

/** The calls of one agent's message, until it is known how the runtime handles each of them. */
export class MessageCalls {
  readonly #ownerOf: (name: string) => ToolOwner
  readonly #written = new Map<string, string>()
  readonly #requests = new Map<string, { readonly id: string; readonly arguments: string }>()
  readonly #answered = new Set<string>()
  #open: OpenCall[] = []
  #isListed = false

  constructor(ownerOf: (name: string) => ToolOwner) {
    this.#ownerOf = ownerOf
  }

  /** True while the runtime is waiting for the result of one of Cadre's tools. */
  get waitsForUs(): boolean {
    return this.#open.some(({ id, name }) => this.#ownerOf(name) === 'ours' && !this.#answered.has(id))
  }

  write(id: string, delta: string): void {
    this.#written.set(id, (this.#written.get(id) ?? '') + delta)
  }

  list(calls: readonly OpenCall[], isLast: boolean): void {
    // Some models reuse ids in each reply.
    if (this.#open.length === 0) this.#answered.clear()
    this.#open.push(...calls.filter(({ name }) => this.#ownerOf(name) !== 'runtime'))
    this.#isListed = isLast
  }

  /** True if there is such a call without a pending request. */
  has(id: string): boolean {
    return this.#open.some((call) => call.id === id) && !this.#requests.has(id)
  }

  request(id: string, request: string, input: unknown): void {
    this.#requests.set(id, { id: request, arguments: JSON.stringify(input ?? {}) })
  }

  answer(id: string): void {
    this.#answered.add(id)
  }

  /**
   * Returns the calls, once each of Cadre's is pending or answered by the runtime. Before, the runtime may still answer one
   * itself.
   */
  take(): readonly RoundCall[] {
    const isKnown = ({ id, name }: OpenCall) =>
      this.#ownerOf(name) !== 'ours' || this.#requests.has(id) || this.#answered.has(id)
    if (this.#open.length === 0 || !this.#isListed || !this.#open.every(isKnown)) return []
    const calls = this.#open.flatMap((call) => this.#callOf(call) ?? [])
    this.forget()
    return calls
  }

  forget(): void {
    this.#open = []
    this.#requests.clear()
    this.#answered.clear()
    this.#written.clear()
  }

  #callOf({ id, name, arguments: input }: OpenCall): RoundCall | undefined {
    const request = this.#requests.get(id)
    if (request !== undefined) return { id, name, arguments: request.arguments, request: request.id }
    const written = this.#written.get(id)
    const text = written?.trim() ? written : JSON.stringify(input ?? {})
    // Many of these names are aliases of Cadre's tools. The model is told that nothing ran, so nothing may.
    if (this.#ownerOf(name) !== 'ours') return { id, name: `copilot:${name}`, arguments: text }
    // The same for a valid call that the runtime answered with an error.
    return isJson(text) ? undefined : { id, name, arguments: text }
  }
}

export function callsIn(data: Data): OpenCall[] {
  const requests = data['toolRequests']
  if (!Array.isArray(requests)) return []
  return (requests as readonly Data[]).map((call) => ({
    id: String(call['toolCallId'] ?? ''),
    name: String(call['name'] ?? ''),
    arguments: call['arguments'],
  }))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
