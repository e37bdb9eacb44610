/** The expected type of a value in a configuration file. */
export type ValueShape =
  | {
      readonly kind: 'text' | 'flag' | 'whole' | 'count' | 'amount' | 'texts' | 'words' | 'names' | 'anything'
    }
  | {
      readonly kind: 'keys'
      readonly keys: { readonly [key: string]: ValueShape }
      readonly required?: readonly string[]
    }
  /** Keys that the user chooses. */
  | { readonly kind: 'named'; readonly of: ValueShape }
  /** One of these words. */
  | { readonly kind: 'choice'; readonly of: readonly string[] }

const text: ValueShape = { kind: 'text' }
export const flag: ValueShape = { kind: 'flag' }
/** A whole number above 0. */
export const whole: ValueShape = { kind: 'whole' }
/** A number, 0 or more. */
export const amount: ValueShape = { kind: 'amount' }

/** The settings of a model server. */
const server: { readonly [key: string]: ValueShape } = {
  baseUrl: text,
  keyCommand: text,
  keyHeader: text,
  headers: { kind: 'named', of: text },
  apiVersion: text,
  query: { kind: 'named', of: text },
  allowInsecure: flag,
  list: flag,
  listTimeout: whole,
  idleTimeout: whole,
  tries: whole,
}

/** All keys of `config.yaml`, in the order of the documentation. */
export const configShape: Extract<ValueShape, { kind: 'keys' }> = {
  kind: 'keys',
  keys: {
    entry: text,
    team: text,
    model: text,
    aliases: { kind: 'named', of: text },
    models: {
      kind: 'named',
      of: {
        kind: 'keys',
        keys: {
          window: whole,
          maxOutput: whole,
          price: {
            kind: 'keys',
            keys: { input: amount, output: amount, cacheRead: amount, cacheWrite: amount },
            required: ['input', 'output'],
          },
        },
      },
    },
    openai: { kind: 'keys', keys: { ...server, reasoningEffort: text } },
    anthropic: { kind: 'keys', keys: { ...server, thinkingTokens: whole } },
    copilot: {
      kind: 'keys',
      keys: {
        server: text,
        mode: { kind: 'choice', of: ['Agent', 'Ask', 'InlineAgent'] },
        processes: whole,
        idleTimeout: whole,
        tries: whole,
        offline: flag,
        provider: {
          kind: 'keys',
          keys: {
            type: text,
            wireApi: text,
            baseUrl: text,
            keyCommand: text,
            headers: { kind: 'named', of: text },
            apiVersion: text,
            allowInsecure: flag,
            list: flag,
          },
          required: ['baseUrl'],
        },
        subagents: flag,
      },
    },
    limits: {
      kind: 'keys',
      keys: {
        depth: whole,
        concurrency: whole,
        sessions: whole,
        maxTurns: whole,
        timeoutSeconds: whole,
        identicalCalls: { kind: 'count' },
        teamMessages: whole,
      },
    },
    budget: { kind: 'keys', keys: { tokens: whole, cost: amount, calls: whole } },
    enableSubagent: flag,
    tools: { kind: 'texts' },
    check: {
      kind: 'keys',
      keys: { command: { kind: 'words' }, timeoutSeconds: whole },
      required: ['command'],
    },
    web: { kind: 'keys', keys: { allow: { kind: 'texts' } } },
    daemon: {
      kind: 'keys',
      keys: { parallel: whole, settle_ms: whole, port: whole, host: text, hosts: { kind: 'texts' } },
    },
    search: {
      kind: 'keys',
      keys: {
        semantic: {
          kind: 'keys',
          keys: { enabled: flag, model: text, module: text, options: { kind: 'anything' } },
        },
      },
    },
    notify: { kind: 'choice', of: ['auto', 'off', 'bell', 'osc9', 'osc777', 'desktop'] },
    channels: { kind: 'named', of: { kind: 'named', of: { kind: 'anything' } } },
  },
}
