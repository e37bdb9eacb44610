import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request for a chat completion from the language server. */
export interface ChatRequest {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown }
  }[]
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null | readonly { readonly type: string; readonly text?: string }[]
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id?: string
}

export interface FakeCall {
  readonly name: string
  readonly input?: unknown
  readonly id?: string
}

export type ChatAnswer =
  | {
      /** Each item is a chunk of the stream. */
      readonly text?: string | readonly string[]
      readonly calls?: readonly FakeCall[]
      readonly finish?: 'stop' | 'length' | 'content_filter' | 'tool_calls'
    }
  | {
      readonly status: number
      readonly body?: unknown
      readonly headers?: { readonly [name: string]: string }
    }
  /** The stream starts and then breaks. */
  | { readonly broken: string }

/** The replies of the model. A promise that stays pending is a hanging model. */
export type ChatScript = (request: ChatRequest) => ChatAnswer | Promise<ChatAnswer>

export interface FakeModel {
  readonly id: string
  readonly multiplier?: number
  readonly window?: number
  readonly maxOutput?: number
  readonly vision?: boolean
}

export interface FakeGitHub {
  readonly url: string
  /** The environment of a language server that is signed in here, and sends all requests here. */
  readonly env: { readonly [name: string]: string }
  readonly requests: readonly Recorded[]
  /** The requests for chat completions with tools, or all if `all` is set. */
  readonly chats: readonly ChatRequest[]
  script: ChatScript
  models: readonly FakeModel[]
  /** The total billed so far. */
  readonly usage: { input: number; output: number }
  /** A status that the Copilot token endpoint returns instead of a token. */
  refuseTokens: number | undefined
  /** The lifetime of a Copilot token in seconds. */
  tokenLife: number
  /** Rejects every Copilot token issued so far. */
  expireTokens(): void
  /** Additional headers of every chat completion. */
  chatHeaders: { readonly [name: string]: string }
  /** Handles a path before all other handlers. Returns `undefined` for other paths. */
  intercept:
    | ((request: Recorded) => { readonly status?: number; readonly body: unknown } | undefined)
    | undefined
  close(): Promise<void>
}

export interface Recorded {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

/**
 * The parts of GitHub that the language server needs, on loopback: tokens, the user, the models, chat completions, and its
 * required telemetry.
 */
export async function startFakeGitHub(
  script: ChatScript,
  options: { readonly models?: readonly FakeModel[] } = {},
): Promise<FakeGitHub> {
  const requests: Recorded[] = []
  const chats: ChatRequest[] = []
  let serial = 0
  let oldestGood = 0
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const github: FakeGitHub = {
    url,
    env: {
      GITHUB_COPILOT_TOKEN: 'ghu_fakeToken0123456789',
      GITHUB_COPILOT_API_URL: `${url}/`,
      GITHUB_COPILOT_SERVER_URL: `${url}/`,
      GITHUB_COPILOT_USER: 'fake-user',
      AGENT_DEBUG_OVERRIDE_CAPI_URL: url,
      AGENT_DEBUG_OVERRIDE_PROXY_URL: url,
    },
    requests,
    chats,
    script,
    models: options.models ?? [
      { id: 'gpt-5', multiplier: 1 },
      { id: 'gpt-4.1', multiplier: 0 },
      { id: 'claude-haiku-4.5', multiplier: 0.33 },
    ],
    usage: { input: 0, output: 0 },
    refuseTokens: undefined,
    tokenLife: 1800,
    expireTokens() {
      oldestGood = serial + 1
    },
    chatHeaders: {},
    intercept: undefined,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return github

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await record(incoming)
    outgoing.setHeader('x-github-request-id', `FAKE:${requests.length}`)
    outgoing.setHeader('x-github-media-type', 'github.v3')
    const special = github.intercept?.(request)
    if (special !== undefined) return json(outgoing, special.body, special.status)
    const { path, method } = request
    if (path.endsWith('/copilot_internal/v2/token')) return giveToken(outgoing)
    if (path.endsWith('/copilot_internal/user')) return json(outgoing, userInfo(url))
    if (path.endsWith('/user')) return json(outgoing, { login: 'fake-user', id: 1 })
    if (path === '/models') return json(outgoing, { object: 'list', data: github.models.map(modelEntry) })
    if (path.startsWith('/models/session'))
      return json(outgoing, { available_models: [], session_token: 's' })
    if (path.endsWith('/telemetry'))
      return json(
        outgoing,
        method === 'GET' ? assignments : { itemsReceived: 1, itemsAccepted: 1, errors: [] },
      )
    if (path.endsWith('/chat/completions')) return complete(request, outgoing)
    json(outgoing, { message: 'Not Found' }, 404)
  }

  async function record(incoming: IncomingMessage): Promise<Recorded> {
    let raw = ''
    for await (const chunk of incoming) raw += chunk
    const { pathname } = new URL(incoming.url ?? '/', url)
    const request = {
      method: incoming.method ?? 'GET',
      path: pathname,
      headers: incoming.headers,
      body: parsed(raw),
    }
    requests.push(request)
    return request
  }

  function giveToken(outgoing: ServerResponse): void {
    if (github.refuseTokens !== undefined) {
      json(
        outgoing,
        { message: 'Bad credentials', error_details: { message: 'Bad credentials' } },
        github.refuseTokens,
      )
      return
    }
    serial += 1
    const expires = Math.floor(Date.now() / 1000) + github.tokenLife
    json(outgoing, {
      token: `tid=fake-${serial};exp=${expires};sku=copilot_enterprise_seat;st=dotcom;chat=1;agent_mode=1;mcp=1;rt=0;sn=0;8kp=1:fakesig`,
      expires_at: expires,
      refresh_in: Math.max(1, github.tokenLife - 300),
      sku: 'copilot_enterprise_seat',
      chat_enabled: true,
      copilotignore_enabled: false,
      individual: true,
      telemetry: 'disabled',
      public_suggestions: 'enabled',
      tracking_id: 'fake',
      endpoints: { api: url, proxy: url, telemetry: url, 'origin-tracker': url },
      organization_list: [],
      enterprise_list: [],
    })
  }

  async function complete(request: Recorded, outgoing: ServerResponse): Promise<void> {
    const token = /tid=fake-(\d+)/.exec(request.headers.authorization ?? '')
    if (token !== null && Number(token[1]) < oldestGood)
      return json(
        outgoing,
        { error: { message: 'IDE token expired: unauthorized: token expired', code: 'unauthorized' } },
        401,
      )
    const body = request.body as ChatRequest
    chats.push(body)
    const said = await github.script(body)
    if ('status' in said) {
      for (const [name, value] of Object.entries(said.headers ?? {})) outgoing.setHeader(name, value)
      return json(outgoing, said.body ?? {}, said.status)
    }
    outgoing.writeHead(200, {
      'content-type': 'text/event-stream',
      ...github.chatHeaders,
      'x-request-id': `req-${chats.length}`,
    })
    const usage = {
      prompt_tokens: Math.ceil(JSON.stringify(body.messages).length / 3),
      completion_tokens: 40,
    }
    github.usage.input += usage.prompt_tokens
    github.usage.output += usage.completion_tokens
    const stream = chunksOf({ id: `chatcmpl-${chats.length}`, model: body.model }, usage, outgoing)
    if ('broken' in said) {
      stream.send({ role: 'assistant', content: said.broken })
      outgoing.destroy()
      return
    }
    for (const piece of [said.text ?? []].flat()) stream.send({ role: 'assistant', content: piece })
    const calls = said.calls ?? []
    calls.forEach((call, index) => {
      const id = call.id ?? `call_${chats.length}_${index}`
      stream.send({
        role: 'assistant',
        content: null,
        tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }],
      })
      stream.send({ tool_calls: [{ index, function: { arguments: JSON.stringify(call.input ?? {}) } }] })
    })
    stream.send({ content: null }, said.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'))
    outgoing.end('data: [DONE]\n\n')
  }
}

/** The text of a message in any format. */
export function textOf({ content }: ChatMessage): string {
  if (content === null) return ''
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('')
}

/** All user messages as one text, in which a lane searches for its own words. */
export function userText(request: ChatRequest): string {
  return request.messages
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .join('\n')
}

/** The tool results since the last reply. */
export function lastResults({ messages }: ChatRequest): string[] {
  const after = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages
    .slice(after + 1)
    .filter(({ role }) => role === 'tool')
    .map(textOf)
}

/** The total number of tool results. */
export function resultCount({ messages }: ChatRequest): number {
  return messages.filter(({ role }) => role === 'tool').length
}

const assignments = {
  Features: [],
  Flights: {},
  Configs: [{ Id: 'vscode', Parameters: {} }],
  ParameterGroups: [],
  FlightingVersion: 1,
  ImpressionId: '',
  AssignmentContext: '',
}

function userInfo(url: string): unknown {
  return {
    login: 'fake-user',
    copilot_plan: 'enterprise',
    chat_enabled: true,
    access_type_sku: 'copilot_enterprise_seat',
    quota_snapshots: {},
    quota_reset_date: '2030-01-01',
    cli_enabled: true,
    endpoints: { api: url, proxy: url, telemetry: url },
  }
}

function modelEntry(
  { id, multiplier = 0, window = 128_000, maxOutput = 16_000, vision = false }: FakeModel,
  index: number,
): unknown {
  return {
    id,
    name: id,
    object: 'model',
    vendor: 'Fake',
    version: id,
    preview: false,
    model_picker_enabled: true,
    is_chat_default: index === 0,
    is_chat_fallback: index === 0,
    capabilities: {
      family: id,
      object: 'model_capabilities',
      type: 'chat',
      tokenizer: 'o200k_base',
      limits: {
        max_context_window_tokens: window,
        max_output_tokens: maxOutput,
        max_prompt_tokens: window - maxOutput,
      },
      supports: { streaming: true, tool_calls: true, parallel_tool_calls: true, vision },
    },
    supported_endpoints: ['/chat/completions'],
    policy: { state: 'enabled', terms: '' },
    billing: { is_premium: multiplier > 0, multiplier },
  }
}

function chunksOf(head: object, usage: object, outgoing: ServerResponse) {
  const created = Math.floor(Date.now() / 1000)
  return {
    send(delta: unknown, finish: string | null = null): void {
      const choices = [{ index: 0, delta, finish_reason: finish }]
      const chunk = { ...head, created, object: 'chat.completion.chunk', choices, ...(finish && { usage }) }
      outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`)
    },
  }
}

function json(outgoing: ServerResponse, body: unknown, status = 200): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify(body))
}

function parsed(raw: string): unknown {
  try {
    return raw === '' ? undefined : JSON.parse(raw)
  } catch {
    return raw
  }
}
