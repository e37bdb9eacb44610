import { createHash } from 'node:crypto'
import { CadreError, type Clock, type Price, type Usage } from '@cadre/core'
import { readEndpoint } from '../http/endpoint.ts'
import { listModels } from '../http/list-models.ts'
import { openTransport } from '../http/open-transport.ts'
import { NotFound, requestJson } from '../http/request-json.ts'
import { publishedModelInfo } from '../known-models.ts'
import type { ModelsConfig } from '../models-config.ts'

/** Turns texts into vectors, with `/embeddings` of the configured OpenAI-compatible endpoint. */
export interface Embeddings {
  /** Changes whenever the vectors are not comparable with earlier ones. */
  readonly key: string
  /** A server charges for it, at this price if it is known. */
  readonly charged: { readonly model: string; readonly price?: Price }
  /** Rejects with a `CadreError`. `spent` receives the usage that the server reports. */
  embed(texts: readonly string[], signal: AbortSignal, spent?: (usage: Usage) => void): Promise<number[][]>
}

export interface EmbeddingsOptions {
  readonly config: ModelsConfig
  readonly env: { readonly [name: string]: string | undefined }
  readonly clock: Clock
  /** The embedding model. Default: OpenAI's usual one, or the first that the server lists. */
  readonly model?: string | undefined
}

const defaultModel = 'text-embedding-3-small'
const embeddingName = /embed|\bbge\b|\be5\b|\bgte\b|minilm/i
/** The timeout for the list of models, in milliseconds. */
const listLimit = 3000
/** The maximum length of one passage. Models accept about 8,000 tokens. */
const maxTextLength = 8000

/** Resolves with a sentence without a period if there are no embeddings. */
export async function openEmbeddings(options: EmbeddingsOptions): Promise<Embeddings | string> {
  const { config, env, clock } = options
  const context = { config, env, clock, cwd: '/', random: Math.random }
  const endpoint = readEndpoint(context)
  if (endpoint === undefined) return 'no model endpoint with embeddings is configured'
  const transport = await openTransport(endpoint, context)
  let model = options.model ?? (endpoint.isOfficial ? defaultModel : undefined)
  if (model === undefined) {
    const listed = endpoint.lists ? await listModels(endpoint, transport, listLimit) : undefined
    model =
      listed?.kind === 'listed'
        ? [...listed.models.keys()].find((name) => embeddingName.test(name))
        : undefined
    if (model === undefined)
      return `${endpoint.shown} lists no embedding model. Set one with search.semantic.model in config.yaml`
  }
  const name = model
  const id = `openai:${name}`
  const price = config.models?.[id]?.price ?? publishedModelInfo(name, endpoint).price
  let missing: Error | undefined
  return {
    charged: { model: id, ...(price && { price }) },
    key: createHash('sha256')
      .update(`${endpoint.target('', '/').host}\0${name}`)
      .digest('hex'),
    async embed(texts, signal, spent) {
      // A server without this path gets no second request.
      if (missing !== undefined) throw missing
      const body = {
        model: name,
        input: texts.map((text) => text.slice(0, maxTextLength).toWellFormed() || ' '),
      }
      try {
        const answer = await requestJson(
          { endpoint, transport, context, model: name, path: '/embeddings', body },
          signal,
        )
        const usage = (answer as { usage?: { prompt_tokens?: unknown } } | null)?.usage?.prompt_tokens
        if (typeof usage === 'number') spent?.(pricedUsage(usage, price))
        return vectorsOf(answer, texts.length, endpoint.shown)
      } catch (error) {
        if (error instanceof NotFound) {
          missing = error
          spent?.({ input: 0, output: 0 })
        }
        throw error
      }
    },
  }
}

function pricedUsage(input: number, price: Price | undefined): Usage {
  return { input, output: 0, ...(price && { cost: (input * price.input) / 1e6 }) }
}

function vectorsOf(answer: unknown, count: number, shown: string): number[][] {
  const { data } = (typeof answer === 'object' && answer !== null ? answer : {}) as { data?: unknown }
  const wrong = new CadreError('backend', `${shown} returned embeddings in an unknown format.`)
  if (!Array.isArray(data) || data.length !== count) throw wrong
  const vectors: number[][] = []
  for (const [at, row] of (data as { index?: unknown; embedding?: unknown }[]).entries()) {
    const index = typeof row?.index === 'number' ? row.index : at
    const { embedding } = row ?? {}
    const isVector =
      Array.isArray(embedding) && embedding.length > 0 && embedding.every((value) => Number.isFinite(value))
    if (!isVector || !Number.isInteger(index) || index < 0 || index >= count) throw wrong
    vectors[index] = embedding as number[]
  }
  const length = vectors[0]?.length
  for (let at = 0; at < count; at++) if (vectors[at]?.length !== length) throw wrong
  return vectors
}
