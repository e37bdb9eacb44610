import { createRequire } from 'node:module'
import { isNestedDeeper } from '@cadre/core'
import type * as Yaml from 'yaml'
import type { Document } from 'yaml'

let loaded: typeof Yaml | undefined

/**
 * The complete YAML parser. Loading it takes longer than reading most journals, so it is loaded only for text that a person wrote.
 * Synchronously, because an edit is read between two steps.
 */
export function yamlParser(): typeof Yaml {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml
  return loaded
}

/** Far deeper than real files, and far below the depth at which the parser crashes the process. */
const maxDepth = 200

/** Returns whether this text is nested too deeply for the parser. */
export function isTooDeep(text: string): boolean {
  let isDeep = false
  const tokens = () => {
    isDeep = opensTooMuch(text)
    return isDeep ? [] : new (yamlParser().Parser)().parse(text)
  }
  return isNestedDeeper(text, maxDepth, tokens) || isDeep
}

/**
 * Returns whether too many brackets are open at once, or too many lists start on one line. Uses the lexer, because the parser's time grows
 * with the square of the depth.
 */
function opensTooMuch(text: string): boolean {
  let brackets = 0
  let onLine = 0
  for (const lexeme of new (yamlParser().Lexer)().lex(text)) {
    if (lexeme === '[' || lexeme === '{') brackets++
    else if (lexeme === ']' || lexeme === '}') brackets = Math.max(0, brackets - 1)
    else if (lexeme === '\n' || lexeme === '\r\n') onLine = 0
    else if (brackets === 0 && /^[-?:]$/.test(lexeme)) onLine++
    if (brackets > maxDepth || onLine > maxDepth) return true
  }
  return false
}

/** Returns a scalar as written, anything else as JSON, and `undefined` for a missing node. */
export function scalarText(node: unknown, document: Document.Parsed): string | null | undefined {
  const yaml = yamlParser()
  const target = resolveAlias(node, document)
  if (!yaml.isNode(target)) return undefined
  if (!yaml.isScalar(target)) return JSON.stringify(target.toJS(document))
  if (target.value === null || typeof target.value === 'string') return target.value
  return target.source ?? String(target.value)
}

export function resolveAlias(node: unknown, document: Document.Parsed): unknown {
  return yamlParser().isAlias(node) ? node.resolve(document) : node
}
