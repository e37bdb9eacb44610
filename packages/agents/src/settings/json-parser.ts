import { createRequire } from 'node:module'
import type * as JsonParser from 'jsonc-parser'

let loaded: typeof JsonParser | undefined

/** Parses and edits JSON with comments. Loaded only if there are settings to read. */
export function jsonParser(): typeof JsonParser {
  loaded ??= createRequire(import.meta.url)('jsonc-parser') as typeof JsonParser
  return loaded
}
