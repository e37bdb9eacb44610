import { createRequire } from 'node:module'
import { isNestedDeeper } from '@cadre/core'
import type * as Yaml from 'yaml'
import type { Document } from 'yaml'

let loaded: typeof Yaml | undefined

/**
 * The complete YAML parser. Loading it costs more than reading most journals, so it is loaded only for what a person
 * wrote, and at once: an edit has to be understood between two steps.
 */
export function yamlParser(): typeof Yaml {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml
  return loaded
}

/** Far deeper than real files, and far below the depth at which the parser crashes the process. */
const deepest = 200

/** Whether this text is nested too deeply for the parser. */
export function isTooDeep(text: string): boolean {
  let isDeep = false
  const tokens = () => {
    isDeep = opensTooMuch(text)
    return isDeep ? [] : new (yamlParser().Parser)().parse(text)
  }
  return isNestedDeeper(text, deepest, tokens) || isDeep
}

/**
 * Whether so many brackets are open at once, or so many lists begin on one line. The parser takes time for each level with those
 * above it, so this asks its lexer, which does not.
 */
function opensTooMuch(text: string): boolean {
  let brackets = 0
  let onLine = 0
  for (const lexeme of new (yamlParser().Lexer)().lex(text)) {
    if (lexeme === '[' || lexeme === '{') brackets++
    else if (lexeme === ']' || lexeme === '}') brackets = Math.max(0, brackets - 1)
    else if (lexeme === '\n' || lexeme === '\r\n') onLine = 0
    else if (brackets === 0 && /^[-?:]$/.test(lexeme)) onLine++
    if (brackets > deepest || onLine > deepest) return true
  }
  return false
}

/** A scalar as it was written, anything else as JSON; `undefined` for what is not there. */
export function scalarText(node: unknown, document: Document.Parsed): string | null | undefined {
  const yaml = yamlParser()
  const target = resolved(node, document)
  if (!yaml.isNode(target)) return undefined
  if (!yaml.isScalar(target)) return JSON.stringify(target.toJS(document))
  if (target.value === null || typeof target.value === 'string') return target.value
  return target.source ?? String(target.value)
}

export function resolved(node: unknown, document: Document.Parsed): unknown {
  return yamlParser().isAlias(node) ? node.resolve(document) : node
}
