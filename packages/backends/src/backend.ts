import type { Clock, Model, ModelResolution } from '@cadre/core'
import type { ModelsConfig } from './models-config.ts'

/** What every backend is given: nothing is read from the process behind its back. */
export interface BackendContext {
  readonly config: ModelsConfig
  readonly env: { readonly [name: string]: string | undefined }
  /** Relative paths in model names start here. */
  readonly cwd: string
  readonly clock: Clock
  /** From 0 up to, but not including, 1. */
  readonly random: () => number
}

/** What a person knows about a model better than its backend does. */
export type ModelFacts = Pick<Model, 'window' | 'price' | 'maxOutput'>

/** A way to reach models. One instance serves the process. */
export interface Backend {
  /**
   * The model by its name behind the prefix, which may be written as agent files do; what it is called by then is in the
   * model's id. Asked once for each session, so what is slow is kept. Rejects with a `configuration` error when what was
   * configured cannot work at all.
   */
  open(name: string, factsOf: (name: string) => ModelFacts): Promise<ModelResolution>
  /** The name a bare one stands for, when `defaultModel` is the default model. Without it: the bare name itself. */
  bare?(name: string, defaultModel: string): string
  /** The names it can list; empty when it cannot. */
  names?(): Promise<readonly string[]>
  /** Ends the processes it has started. It may be used again afterwards. */
  close?(): Promise<void>
}

/** Loads a backend at its first use, so that a command that asks no model loads none. */
export type BackendLoader = (context: BackendContext) => Promise<Backend>
