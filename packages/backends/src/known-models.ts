import type { Price } from '@cadre/core'
import type { ModelInfo } from './backend.ts'

interface Row {
  /** Without a date suffix. */
  readonly name: string
  readonly window: number
  readonly maxOutput: number
  readonly price?: Price
}

/** Dollars per million tokens: input, output, cache reads, and cache writes if they cost more. */
function price(input: number, output: number, cacheRead: number, cacheWrite?: number): Price {
  return { input, output, cacheRead, ...(cacheWrite !== undefined && { cacheWrite }) }
}

const opus = price(5, 25, 0.5, 6.25)
const sonnet = price(3, 15, 0.3, 3.75)

/**
 * What the companies' documentation says about their models, as of 17 November 2026. `models` in the configuration takes precedence, and
 * so does a size that the server reports. Without a price, and for a model that is not listed, a money budget needs one from the
 * configuration. A row without a price has prices that depend on the request, or no documentation of all of them.
 */
const rows: readonly Row[] = [
  { name: 'claude-opus-5-5', window: 1_000_000, maxOutput: 128_000 },
  { name: 'claude-opus-5', window: 1_000_000, maxOutput: 128_000, price: opus },
  { name: 'claude-opus-4-8', window: 1_000_000, maxOutput: 128_000, price: opus },
  { name: 'claude-opus-4-6', window: 1_000_000, maxOutput: 128_000, price: opus },
  { name: 'claude-opus-4-5', window: 200_000, maxOutput: 64_000, price: opus },
  { name: 'claude-sonnet-5-5', window: 1_000_000, maxOutput: 128_000 },
  { name: 'claude-sonnet-5', window: 1_000_000, maxOutput: 128_000, price: price(2, 10, 0.2, 2.5) },
  { name: 'claude-sonnet-4-6', window: 1_000_000, maxOutput: 128_000, price: sonnet },
  { name: 'claude-sonnet-4-5', window: 200_000, maxOutput: 64_000, price: sonnet },
  { name: 'claude-haiku-5-5', window: 1_000_000, maxOutput: 128_000 },
  { name: 'claude-haiku-4-5', window: 200_000, maxOutput: 64_000, price: price(1, 5, 0.1, 1.25) },
  { name: 'gpt-5', window: 400_000, maxOutput: 128_000, price: price(1.25, 10, 0.125) },
  { name: 'gpt-5-mini', window: 400_000, maxOutput: 128_000, price: price(0.25, 2, 0.025) },
  { name: 'gpt-5-nano', window: 400_000, maxOutput: 128_000, price: price(0.05, 0.4, 0.005) },
  { name: 'gpt-4.1', window: 1_047_576, maxOutput: 32_768, price: price(2, 8, 0.5) },
  { name: 'gpt-4.1-mini', window: 1_047_576, maxOutput: 32_768, price: price(0.4, 1.6, 0.1) },
  { name: 'gpt-4.1-nano', window: 1_047_576, maxOutput: 32_768, price: price(0.1, 0.4, 0.025) },
  { name: 'gpt-4o', window: 128_000, maxOutput: 16_384, price: price(2.5, 10, 1.25) },
  { name: 'gpt-4o-mini', window: 128_000, maxOutput: 16_384, price: price(0.15, 0.6, 0.075) },
  { name: 'o3', window: 200_000, maxOutput: 100_000 },
  { name: 'o4-mini', window: 200_000, maxOutput: 100_000, price: price(1.1, 4.4, 0.275) },
]

/** Only a date, `latest` or `0` may follow: `gpt-5-codex` and `gpt-5.1` are separate models. */
const suffix = /^(-(20\d{2}-?\d{2}-?\d{2}|latest|0))?$/

/**
 * Returns published facts about a model. Prices apply only at the vendor's own server; so do sizes, except for Claude: no
 * other model has such a name, while any server may name a model `gpt-4o`.
 */
export function publishedModelInfo(
  name: string,
  { isOfficial }: { readonly isOfficial: boolean },
): ModelInfo {
  const row = rows.find((known) => name.startsWith(known.name) && suffix.test(name.slice(known.name.length)))
  if (row === undefined) return {}
  const { window, maxOutput } = row
  if (isOfficial) return { window, maxOutput, ...(row.price && { price: row.price }) }
  return row.name.startsWith('claude') ? { window, maxOutput } : {}
}
