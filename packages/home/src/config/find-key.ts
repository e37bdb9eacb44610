import { CadreError, didYouMean } from '@cadre/core'
import { configShape, type ValueShape } from './config-shape.ts'

export interface FoundKey {
  /** From the outermost key to the innermost. A name that the user chose may contain dots: `models.gpt-4.1.window`. */
  readonly keys: readonly string[]
  readonly shape: ValueShape
}

/** Finds a configuration key in dotted notation. Throws a `usage` error with similar keys if there is none. */
export function findKey(written: string): FoundKey {
  const found = match(written.split('.'), configShape)
  if (found !== undefined && found.keys.length > 0) return found
  const known = configKeys()
  const hint = didYouMean(written, known) || '. "cadre config list --all" lists all keys.'
  throw new CadreError('usage', `there is no configuration key ${JSON.stringify(written)}${hint}`)
}

/** All keys in the order of the documentation. `NAME` is a placeholder for names that the user chooses. */
export function configKeys(shape: ValueShape = configShape, prefix = ''): string[] {
  const below = (name: string, next: ValueShape) =>
    configKeys(next, prefix === '' ? name : `${prefix}.${name}`)
  if (shape.kind === 'keys') return Object.entries(shape.keys).flatMap(([name, next]) => below(name, next))
  return shape.kind === 'named' ? below('NAME', shape.of) : [prefix]
}

function match(parts: readonly string[], shape: ValueShape): FoundKey | undefined {
  if (parts.length === 0) return { keys: [], shape }
  const below = (key: string, rest: readonly string[], next: ValueShape): FoundKey | undefined => {
    const found = match(rest, next)
    return found && { keys: [key, ...found.keys], shape: found.shape }
  }
  if (shape.kind === 'keys') {
    const [key = '', ...rest] = parts
    const next = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined
    return next && below(key, rest, next)
  }
  if (shape.kind !== 'named') return undefined
  for (let length = 1; length <= parts.length; length++) {
    const name = parts.slice(0, length).join('.')
    const found = name === '' ? undefined : below(name, parts.slice(length), shape.of)
    // In `models.a.b`, the whole rest is the name, unless it ends with a known key.
    if (found !== undefined && (found.keys.length > 1 || length === parts.length)) return found
  }
  return undefined
}
