import type { Usage } from '@cadre/core'

/** Turns texts into vectors: texts with similar meaning get vectors in similar directions. */
export interface Embed {
  /** Changes whenever the vectors are not comparable with earlier ones: other code, or another model. */
  readonly key: string
  /** `spent` receives the cost that a server reports. */
  embed(
    texts: readonly string[],
    signal: AbortSignal,
    spent: (usage: Usage) => void,
  ): Promise<readonly (readonly number[])[]>
}

/** Loaded on first use. Resolves with a sentence if there is none or it cannot be used. */
export type EmbedLoader = () => Promise<Embed | string>
