import { CadreError, isNestedDeeper } from '@cadre/core'
import type { Node, Pair, Scalar } from 'yaml'
import type { Origin } from '../field.ts'

const maxDepth = 200

/** Parses YAML into plain values, and keeps the line of each. */
export async function parseYaml(text: string, path: string): Promise<{ value: unknown; origin: Origin }> {
  // Loaded lazily, because only playbooks need it.
  const { isAlias, isMap, isScalar, isSeq, LineCounter, Parser, parseDocument } = await import('yaml')
  const counter = new LineCounter()
  const lines = new WeakMap<object, Map<string | number, number>>()
  const made = new Map<Node, unknown>()
  if (isNestedDeeper(text, maxDepth, () => new Parser().parse(text)))
    fail('lists or mappings are nested too deeply here. Simplify them.', 0)
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false })
  const mistake = document.errors[0]
  if (mistake !== undefined) fail(`this is not valid YAML: ${mistake.message}.`, mistake.pos[0])

  const origin: Origin = (owner, key) => {
    const line = owner === undefined || key === undefined ? undefined : lines.get(owner)?.get(key)
    return `${path}:${line ?? 1}`
  }
  return { value: convert(document.contents), origin }

  function convert(node: Node | null | undefined): unknown {
    if (node === null || node === undefined) return null
    if (isAlias(node)) {
      const target = node.resolve(document)
      // An alias inside its own target would be infinite.
      if (target === undefined || (made.has(target) && made.get(target) === undefined))
        return fail(`the alias *${node.source} has no usable value.`, node.range?.[0])
      return convert(target)
    }
    if (isScalar(node)) return node.value
    if (made.has(node)) return made.get(node)
    made.set(node, undefined)
    const value = isMap(node)
      ? mapping(node.items as Pair<Node, Node | null>[])
      : isSeq(node)
        ? list(node.items as Node[])
        : null
    made.set(node, value)
    return value
  }

  function mapping(items: readonly Pair<Node, Node | null>[]): object {
    const places = new Map<string | number, number>()
    const entries = items.map(({ key, value }) => {
      const name = isScalar(key)
        ? String((key as Scalar).value)
        : fail('a key must be plain text.', key.range?.[0])
      places.set(name, lineOf(key.range?.[0]))
      return [name, convert(value)] as const
    })
    const made = Object.fromEntries(entries)
    lines.set(made, places)
    return made
  }

  function list(items: readonly Node[]): unknown[] {
    const made = items.map(convert)
    lines.set(made, new Map(items.map((item, index) => [index, lineOf(item?.range?.[0])])))
    return made
  }

  function lineOf(offset: number | undefined): number {
    return counter.linePos(offset ?? 0).line || 1
  }

  function fail(message: string, offset: number | undefined): never {
    throw new CadreError('configuration', message, { where: `${path}:${lineOf(offset)}` })
  }
}
