import { placeNamePattern, placeNameRule } from '@cadre/core'

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
  /** A whole number in this range. */
  | { readonly kind: 'range'; readonly min: number; readonly max: number }
  /** Text of this form. `says` completes the sentence "NAME must be …". */
  | { readonly kind: 'matching'; readonly pattern: RegExp; readonly says: string }
  /** A list of such values, or only one of them. */
  | { readonly kind: 'list'; readonly of: ValueShape; readonly orOne?: true }

const text: ValueShape = { kind: 'text' }
export const booleanShape: ValueShape = { kind: 'flag' }
/** A whole number above 0. */
export const wholeNumber: ValueShape = { kind: 'whole' }
/** A number, 0 or more. */
export const nonNegativeNumber: ValueShape = { kind: 'amount' }

/** Without a user name or password: Restate accepts none, and Cadre prints the address in messages. */
function address(example: string): ValueShape {
  return {
    kind: 'matching',
    pattern: /^https?:\/\/[^\s/?#@]+\/?$/,
    says: `an address such as ${example}, without a user name or password`,
  }
}

const dayBudget: { readonly [key: string]: ValueShape } = { tokens: wholeNumber, cost: nonNegativeNumber }

/** Daily budgets. */
export const budgetsShape: ValueShape = {
  kind: 'keys',
  keys: {
    day: { kind: 'keys', keys: dayBudget },
    agents: { kind: 'named', of: { kind: 'keys', keys: dayBudget } },
    teams: {
      kind: 'named',
      of: { kind: 'keys', keys: { agents: { kind: 'texts' }, ...dayBudget }, required: ['agents'] },
    },
  },
}

/** How many trees run at the same time. */
export const parallelShape: ValueShape = { kind: 'keys', keys: { place: wholeNumber, home: wholeNumber } }

const place: ValueShape = { kind: 'matching', pattern: placeNamePattern, says: placeNameRule }

/** The settings of a model server. */
const server: { readonly [key: string]: ValueShape } = {
  baseUrl: text,
  keyCommand: text,
  keyHeader: text,
  headers: { kind: 'named', of: text },
  apiVersion: text,
  query: { kind: 'named', of: text },
  allowInsecure: booleanShape,
  list: booleanShape,
  listTimeout: wholeNumber,
  idleTimeout: wholeNumber,
  tries: wholeNumber,
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
          window: wholeNumber,
          maxOutput: wholeNumber,
          price: {
            kind: 'keys',
            keys: {
              input: nonNegativeNumber,
              output: nonNegativeNumber,
              cacheRead: nonNegativeNumber,
              cacheWrite: nonNegativeNumber,
            },
            required: ['input', 'output'],
          },
        },
      },
    },
    openai: { kind: 'keys', keys: { ...server, reasoningEffort: text } },
    anthropic: { kind: 'keys', keys: { ...server, thinkingTokens: wholeNumber } },
    copilot: {
      kind: 'keys',
      keys: {
        server: text,
        mode: { kind: 'choice', of: ['Agent', 'Ask', 'InlineAgent'] },
        processes: wholeNumber,
        idleTimeout: wholeNumber,
        tries: wholeNumber,
        offline: booleanShape,
        provider: {
          kind: 'keys',
          keys: {
            type: text,
            wireApi: text,
            baseUrl: text,
            keyCommand: text,
            headers: { kind: 'named', of: text },
            apiVersion: text,
            allowInsecure: booleanShape,
            list: booleanShape,
          },
          required: ['baseUrl'],
        },
        subagents: booleanShape,
      },
    },
    acp: {
      kind: 'keys',
      keys: {
        programs: {
          kind: 'named',
          of: {
            kind: 'keys',
            keys: { command: { kind: 'words' }, variables: { kind: 'names' }, withoutSandbox: booleanShape },
          },
        },
        idleTimeout: wholeNumber,
        tries: wholeNumber,
      },
    },
    limits: {
      kind: 'keys',
      keys: {
        depth: wholeNumber,
        concurrency: wholeNumber,
        sessions: wholeNumber,
        maxTurns: wholeNumber,
        timeoutSeconds: wholeNumber,
        identicalCalls: { kind: 'count' },
        teamMessages: wholeNumber,
        parallel: parallelShape,
      },
    },
    budget: { kind: 'keys', keys: { tokens: wholeNumber, cost: nonNegativeNumber, calls: wholeNumber } },
    budgets: budgetsShape,
    enableSubagent: booleanShape,
    tools: { kind: 'texts' },
    check: {
      kind: 'keys',
      keys: { command: { kind: 'words' }, timeoutSeconds: wholeNumber },
      required: ['command'],
    },
    web: { kind: 'keys', keys: { allow: { kind: 'texts' } } },
    daemon: {
      kind: 'keys',
      keys: {
        parallel: wholeNumber,
        settle_ms: wholeNumber,
        port: wholeNumber,
        host: text,
        hosts: { kind: 'texts' },
      },
    },
    engine: {
      kind: 'keys',
      keys: {
        kind: { kind: 'choice', of: ['restate'] },
        ingress: address('http://127.0.0.1:8080'),
        admin: address('http://127.0.0.1:9070'),
        place,
        ledger: place,
        workspace: { kind: 'choice', of: ['folder', 'checkout'] },
        repository: {
          kind: 'matching',
          // A transport such as `ext::` would run a program.
          pattern: /^(?!-)(?![\w+.-]*::)[^\p{Cc}]+$/u,
          says: 'the address of a git repository, such as git@example.com:team/project.git',
        },
        identityKeys: {
          kind: 'list',
          of: {
            kind: 'matching',
            pattern: /^publickeyv1_[1-9A-HJ-NP-Za-km-z]{40,50}$/,
            says: 'a public key of the Restate server: publickeyv1_…',
          },
        },
      },
      required: ['kind', 'place'],
    },
    search: {
      kind: 'keys',
      keys: {
        semantic: {
          kind: 'keys',
          keys: { enabled: booleanShape, model: text, module: text, options: { kind: 'anything' } },
        },
      },
    },
    mcp: {
      kind: 'keys',
      keys: {
        servers: { kind: 'named', of: { kind: 'named', of: { kind: 'anything' } } },
        discover: booleanShape,
        decide: { kind: 'texts' },
        ask: { kind: 'texts' },
      },
    },
    notify: { kind: 'choice', of: ['auto', 'off', 'bell', 'osc9', 'osc777', 'desktop'] },
    channels: { kind: 'named', of: { kind: 'named', of: { kind: 'anything' } } },
  },
}
