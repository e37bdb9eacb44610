import { createHash } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { type Json, messageOf } from '@cadre/core'
import { fingerprintModule, resolveModule } from '@cadre/home'
import type { Embed } from './embed.ts'

export interface LoadEmbedOptions {
  /** As named in the configuration: a path, or a package that is installed next to the configuration. */
  readonly module: string
  /** Passed to the module with every call. */
  readonly options?: Json | undefined
  /** The base folder of relative names. */
  readonly base: string
  /** Returns whether a person trusts the current content of this file. Called before any of it runs. */
  readonly trusted: (module: string) => boolean | Promise<boolean>
}

/** Loads the module that is configured for semantic search. Returns a sentence for the user if it cannot be used. */
export async function loadEmbedder(request: LoadEmbedOptions): Promise<Embed | string> {
  const { module, options = null, base, trusted } = request
  const file = resolveModule(module, base)
  if (file === undefined)
    return `search.semantic.module ${JSON.stringify(module)} was not found. Install it next to the configuration, or correct its name`
  if (!(await trusted(file)))
    return `${module} (search.semantic.module) is not trusted, so Cadre did not load it. A person has to inspect and trust it`
  // Together with the options, this identifies the code that made stored vectors.
  const code = fingerprintModule(file) ?? 'unreadable'
  let exported: Record<string, unknown>
  try {
    exported = (await import(`${pathToFileURL(file).href}?v=${code.slice(0, 16)}`)) as Record<string, unknown>
  } catch (error) {
    return `cannot load ${module} (search.semantic.module): ${messageOf(error)}`
  }
  const { embed } = exported
  if (typeof embed !== 'function')
    return `${module} (search.semantic.module) exports no function embed(texts)`
  const key = createHash('sha256')
    .update(`${file}\0${code}\0${JSON.stringify(options)}`)
    .digest('hex')
  return {
    key,
    embed: async (texts) => vectorsOf(await (embed as Call)([...texts], options), texts.length, module),
  }
}

type Call = (texts: string[], options: Json) => unknown

function vectorsOf(given: unknown, count: number, module: string): readonly (readonly number[])[] {
  const fault = (what: string) => new Error(`${module} (search.semantic.module) returned ${what}`)
  if (!Array.isArray(given) || given.length !== count)
    throw fault(`something other than a list of ${count} vectors`)
  const length: unknown = given[0]?.length
  for (const vector of given) {
    const isVector =
      (Array.isArray(vector) || ArrayBuffer.isView(vector)) &&
      (vector as unknown as { length: number }).length === length
    if (!isVector || length === 0 || !Array.from(vector as number[]).every((value) => Number.isFinite(value)))
      throw fault('a vector that is not a list of numbers of one length')
  }
  return given as number[][]
}
