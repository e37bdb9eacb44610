import {
  type Model,
  type ModelRequest,
  type Models,
  matchModel,
  type Reply,
  type ReplyFailure,
  type Usage,
  type WireCall,
} from '@cadre/core'

/** One line of a lane. A function can choose the reply from the request; `text` streams text before the reply. */
export type Line =
  | Reply
  | ReplyFailure
  | 'hang'
  | ((
      request: ModelRequest,
      text: (delta: string) => void,
    ) => Reply | ReplyFailure | 'hang' | Promise<Reply | ReplyFailure>)

export interface ScriptedModels extends Models {
  /** All requests, in order. */
  readonly requests: ModelRequest[]
  /** The sessions that were released, in order. */
  readonly released: string[]
  /** Throws if lines are unused, or if a request found no line. */
  verify(): void
}

export interface ScriptedOptions {
  readonly window?: number
  readonly maxOutput?: number
  /** False: a backend that cannot limit its replies. */
  readonly capsReplies?: boolean
  readonly price?: Model['price']
  /** False: a model that cannot call tools. */
  readonly supportsTools?: false
  /** Names of models that exist; any other is unknown. Default: `scripted`. */
  readonly catalogue?: readonly string[]
  /** True: no other model may replace an unknown one. */
  readonly isFirm?: boolean
}

/**
 * A model with scripted replies. Each agent has its own lane, so that parallel children cannot take each other's lines. Each session of an
 * agent plays its lane from the start, by round number, so a resumed session continues at its line.
 */
export function scriptedModels(
  lanes: Readonly<Record<string, readonly Line[]>>,
  options: ScriptedOptions = {},
): ScriptedModels {
  const requests: ModelRequest[] = []
  const released: string[] = []
  const used = new Set<string>()
  const missing: string[] = []
  const catalogue = options.catalogue ?? ['scripted']
  const modelOf = (id: string): Model => ({
    id,
    ...(options.window !== undefined && { window: options.window }),
    ...(options.maxOutput !== undefined && { maxOutput: options.maxOutput }),
    ...(options.capsReplies !== false && { capsReplies: true }),
    ...(options.price && { price: options.price }),
    ...(options.supportsTools === false && { supportsTools: false }),
    release: (session) => void released.push(session),
    async reply(request, hooks, signal) {
      requests.push({ ...request, messages: [...request.messages] })
      if (request.purpose === 'summary') return say('a summary of what was done')
      const line = lanes[request.agent]?.[request.round - 1]
      if (line === undefined) {
        const reason = `the script has no line for round ${request.round} of ${request.agent}`
        missing.push(reason)
        return { kind: 'failed', code: 'backend', message: reason }
      }
      used.add(`${request.agent}/${request.round}`)
      const whole = typeof line === 'function' ? await line(request, hooks.text) : line
      if (whole === 'hang') return untilAborted(signal)
      const answer = whole.kind === 'reply' ? truncateReply(whole, request) : whole
      if (answer.kind === 'reply' && answer.content !== null) hooks.text(answer.content)
      return answer
    },
  })
  const models = new Map(catalogue.map((name) => [name, modelOf(name)]))
  return {
    requests,
    released,
    resolve(name) {
      const model = models.get(matchModel(name ?? (catalogue[0] as string), catalogue) ?? '')
      if (model !== undefined) return Promise.resolve({ kind: 'found', model })
      return Promise.resolve({
        kind: 'unknown',
        name: name ?? '',
        nearest: catalogue,
        reason: `no model is named ${name}`,
        ...(options.isFirm && { firm: true }),
      })
    },
    verify() {
      const left = Object.entries(lanes).flatMap(([agent, lines]) =>
        lines.flatMap((_, index) =>
          used.has(`${agent}/${index + 1}`) ? [] : [`${agent} line ${index + 1}`],
        ),
      )
      const wrong = [...missing, ...left.map((line) => `${line} was never used`)]
      if (wrong.length > 0) throw new Error(`the script does not match the requests:\n${wrong.join('\n')}`)
    },
  }
}

export function say(content: string, usage: Usage = { input: 10, output: 5 }): Reply {
  return { kind: 'reply', content, calls: [], usage }
}

/** A reply with calls: `[tool, input]` each. Ids are numbered by the loop. */
export function call(...calls: readonly (readonly [tool: string, input: unknown])[]): Reply {
  const wire = calls.map(([name, input]): WireCall => {
    const written = typeof input === 'string' ? input : JSON.stringify(input)
    return { id: '', type: 'function', function: { name, arguments: written } }
  })
  return { kind: 'reply', content: null, calls: wire, usage: { input: 10, output: 5 } }
}

export function fail(message: string): ReplyFailure {
  return { kind: 'failed', code: 'backend', message }
}

/** Truncates a reply that exceeds the limit, and drops its calls. */
function truncateReply(reply: Reply, { maxOutput = Infinity }: ModelRequest): Reply {
  const { usage } = reply
  if (usage === undefined || usage.output <= maxOutput) return reply
  return { ...reply, calls: [], stop: 'length', usage: { ...usage, output: maxOutput } }
}

function untilAborted(signal: AbortSignal): Promise<ReplyFailure> {
  const failure: ReplyFailure = { kind: 'failed', code: 'cancelled', message: 'cancelled' }
  if (signal.aborted) return Promise.resolve(failure)
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(failure), { once: true })
  })
}
