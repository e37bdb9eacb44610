import { cpSync, existsSync } from 'node:fs'
import path from 'node:path'
import { fromRoot } from './run.mjs'

/** Compiled modules of this repository. */
export const ours = /[\\/]packages[\\/][^\\/]+[\\/]dist[\\/]/

/** Files that packages read at run time, by package. */
const ownFiles = { agents: ['teams'], gate: ['runner', 'hooks'], web: ['dist/page'] }

/** Packages find their own files by package name. A bundle has no such packages, but the files are next to it, in `assets`. */
export const findAssets = {
  name: 'find-assets',
  transform(code, id) {
    const own = /\bcreateRequire\(import\.meta\.url\)\.resolve\(['"]@cadre\/([a-z-]+)\/package\.json['"]\)/g
    if (!ours.test(id) || !own.test(code)) return null
    const found = code.replace(own, "pathOfAsset(new URL('assets/$1/package.json', import.meta.url))")
    return { code: `import { fileURLToPath as pathOfAsset } from 'node:url'\n${found}` }
  },
}

export function copyAssets(folder) {
  for (const [name, files] of Object.entries(ownFiles))
    for (const file of files)
      if (existsSync(fromRoot('packages', name, file)))
        cpSync(fromRoot('packages', name, file), path.join(folder, 'assets', name, file), { recursive: true })
}

/** Parsers that are loaded on demand become part of the bundle, and still run only on demand. */
export const requireLazily = {
  name: 'require-lazily',
  transform(code, id) {
    const lazy = /\bcreateRequire\(import\.meta\.url\)\((['"](?:yaml|jsonc-parser)['"])\)/g
    return ours.test(id) && lazy.test(code) ? { code: code.replace(lazy, 'require($1)') } : null
  },
}

/**
 * Writes every character beyond ASCII as an escape. V8 stores a source that has one of them with two bytes a character, and reads it
 * more slowly. The meaning stays the same in strings, templates, regular expressions, names and comments.
 */
export const asciiOnly = {
  name: 'ascii-only',
  // Not in `renderChunk`: Rolldown prints chunks again after it, and prints strings without escapes.
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk' || isAscii(file.code)) continue
      refuseRawText(this.parse(file.code))
      file.code = file.code.replace(/(\\*)([^\0-\x7f])/g, escaped)
    }
  },
}

/** Returns whether a text has only characters of ASCII. */
export function isAscii(text) {
  return !/[^\0-\x7f]/.test(text)
}

function escaped(_, backslashes, character) {
  if (/[\u2028\u2029]/.test(character) && backslashes.length % 2 === 1)
    throw new Error('A bundle has a line break of Unicode after a backslash, which has no escape.')
  // A backslash before such a character has no meaning.
  const kept = backslashes.slice(backslashes.length % 2)
  return `${kept}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A tagged template sees its text as written, so an escape would change it. */
function refuseRawText(node) {
  if (node?.type === 'TaggedTemplateExpression')
    for (const { value } of node.quasi.quasis)
      if (!isAscii(value.raw)) throw new Error(`Write the characters beyond ASCII as escapes: ${value.raw}`)
  for (const child of Object.values(node ?? {})) if (typeof child === 'object') refuseRawText(child)
}

/** The CommonJS build of jsonc-parser loads its parts in a way that cannot be bundled. */
export const bundledParsers = {
  'jsonc-parser': fromRoot('node_modules', 'jsonc-parser', 'lib', 'esm', 'main.js'),
}
