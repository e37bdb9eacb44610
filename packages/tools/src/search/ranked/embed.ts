import type { Usage } from '@cadre/core'

/** Turns texts into vectors: texts that mean something alike get vectors that point in like directions. */
export interface Embed {
  /** Another one whenever the vectors are not comparable with those before: other code, another model. */
  readonly key: string
  /** `spent` is told what a server charged for it. */
  embed(
    texts: readonly string[],
    signal: AbortSignal,
    spent: (usage: Usage) => void,
  ): Promise<readonly (readonly number[])[]>
}

/** Loaded when it is first needed; a sentence when there is none, or it cannot be used. */
export type EmbedLoader = () => Promise<Embed | string>
