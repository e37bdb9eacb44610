import type { Clock, Model, ModelResolution } from '@cadre/core'
import type { Confine } from './acp/confine.ts'
import type { ModelsConfig } from './models-config.ts'
import type { ProgramCalls } from './program-calls.ts'

/** Everything a backend may use: it reads nothing else from the process. */
export interface BackendContext {
  readonly config: ModelsConfig
  readonly env: { readonly [name: string]: string | undefined }
  /** The base folder of relative paths in model names. */
  readonly cwd: string
  readonly clock: Clock
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
  /** The default model as the user wrote it, with `--model`, `CADRE_MODEL` or in the configuration. */
  readonly chosen?: string | undefined
  /** Starts programs in a sandbox. */
  readonly confine?: Confine | undefined
  /** The calls that programs carry out themselves. Without it, Cadre denies all of them. */
  readonly programCalls?: ProgramCalls | undefined
}

/** Facts about a model that a person has configured. */
export type ModelInfo = Pick<Model, 'window' | 'price' | 'maxOutput'>

/** A way to reach models. One instance serves the process. */
export interface Backend {
  /**
   * Opens a model by its name after the prefix, possibly as agent files spell it; the model's id has its final name.
   * Called once per session, so slow results are cached. Rejects with a `configuration` error if the configuration cannot
   * work at all.
   */
  open(name: string, factsOf: (name: string) => ModelInfo): Promise<ModelResolution>
  /** Resolves a bare name, if `defaultModel` is the default model. Absent: the bare name itself. */
  bare?(name: string, defaultModel: string): string
  /** The names it can list; empty if it cannot. */
  names?(): Promise<readonly string[]>
  /** Ends the processes it has started. It can be used again afterwards. */
  close?(): Promise<void>
}

/** Loads a backend on first use, so that a command without a model loads none. */
export type BackendLoader = (context: BackendContext) => Promise<Backend>
