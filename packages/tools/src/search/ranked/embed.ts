import type { Price, ReserveTokens, Usage } from '@cadre/core'

/** Turns texts into vectors: texts with similar meaning get vectors in similar directions. */
export interface Embed {
  /** Changes whenever the vectors are not comparable with earlier ones: other code, or another model. */
  readonly key: string
  /** Set if a server charges for it, with the model, and the price if it is known. */
  readonly charged?: { readonly model: string; readonly price?: Price }
  /** `spent` receives the cost that a server reports. */
  embed(
    texts: readonly string[],
    signal: AbortSignal,
    spent: (usage: Usage) => void,
  ): Promise<readonly (readonly number[])[]>
}

/** Loaded on first use. Resolves with a sentence if there is none or it cannot be used. */
export type EmbedLoader = () => Promise<Embed | string>

/** Wraps an `Embed` so that it sends no request that exceeds the budgets of the session. Rejects with the reason. */
export function withBudget(embed: Embed, reserve: ReserveTokens | undefined): Embed {
  const { charged } = embed
  if (charged === undefined || reserve === undefined) return embed
  return {
    ...embed,
    async embed(texts, signal, spent) {
      // A token is at least one byte; a few mark the beginning and the end of a text.
      const input = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 8, 0)
      const held = await reserve({ input, ...charged })
      if (held.kind === 'refused') throw new Error(held.reason)
      let used: Usage | undefined
      try {
        return await embed.embed(texts, signal, (usage) => {
          used = usage
          spent(usage)
        })
      } finally {
        await held.settle(used)
      }
    },
  }
}
