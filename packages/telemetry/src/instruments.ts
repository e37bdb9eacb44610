/** Seconds of requests and tools, as the GenAI conventions advise. */
const short = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
/** Seconds of agents and people. */
const long = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400, 604_800]
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216]

type Instrument = { readonly unit: string; readonly description: string } & (
  | { readonly kind: 'counter'; readonly whole: boolean }
  | { readonly kind: 'histogram'; readonly bounds: readonly number[] }
)

/** Every metric. Names that begin with `gen_ai` are those of the OpenTelemetry GenAI conventions. */
export const instruments = {
  'gen_ai.client.inference.duration': histogram('s', short, 'Duration of a model request'),
  'gen_ai.client.inference.time_to_first_chunk': histogram('s', short, "Time until a reply's first text"),
  'gen_ai.client.inference.operation.input_tokens': histogram('{token}', tokens, 'Input tokens per request'),
  'gen_ai.client.inference.operation.output_tokens': histogram(
    '{token}',
    tokens,
    'Output tokens per request',
  ),
  'gen_ai.client.inference.usage.input_tokens': counter('{token}', 'Input tokens'),
  'gen_ai.client.inference.usage.output_tokens': counter('{token}', 'Output tokens'),
  'gen_ai.client.inference.usage.cache_read.input_tokens': counter(
    '{token}',
    'Input tokens read from a cache',
  ),
  'gen_ai.client.inference.usage.cache_write.input_tokens': counter(
    '{token}',
    'Input tokens written to a cache',
  ),
  'gen_ai.invoke_agent.duration': histogram(
    's',
    long,
    'Duration of a session, or of one turn in a conversation',
  ),
  'gen_ai.execute_tool.duration': histogram('s', short, 'Duration of a tool call'),
  'cadre.cost': {
    ...counter('{USD}', 'Cost of model requests, if their prices are known'),
    whole: false,
  },
  'cadre.premium_requests': {
    ...counter('{request}', 'Copilot premium requests'),
    whole: false,
  },
  'cadre.denials': counter('{call}', 'Calls that rules, hooks, budgets or people denied'),
  'cadre.approval.duration': histogram('s', long, 'Time until a person answered'),
  'cadre.hook.duration': histogram('s', short, 'Duration of a hook'),
} as const satisfies { readonly [name: string]: Instrument }

export type InstrumentName = keyof typeof instruments

function counter(unit: string, description: string) {
  return { kind: 'counter', whole: true, unit, description } as const
}

function histogram(unit: string, bounds: readonly number[], description: string) {
  return { kind: 'histogram', unit, bounds, description } as const
}
