import type { Diagnostic, Located } from '@cadre/disk'
import type { ValueShape } from '../config/config-shape.ts'

type Pair = readonly [key: string, field: Located]

/**
 * Converts `customAgent.enabled: false` to `customAgent: {enabled: false}`, for all known keys. A key that is written both ways is an
 * error, because it is ambiguous.
 */
export function joinDottedKeys(
  root: Located,
  shape: ValueShape,
  path: string,
): { readonly root: Located; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  return { root: join(root, shape), diagnostics }

  function join(at: Located, wanted: ValueShape | undefined): Located {
    return at.fields === undefined || wanted?.kind !== 'keys'
      ? at
      : joinPairs([...at.fields], at.line, wanted)
  }

  function joinPairs(pairs: readonly Pair[], line: number, wanted: ValueShape | undefined): Located {
    const groups = new Map<string, Pair[]>()
    for (const [key, field] of pairs) {
      const [name, rest] = split(key)
      const group = groups.get(name)
      if (group === undefined) groups.set(name, [[rest, field]])
      else group.push([rest, field])
    }
    const fields = new Map<string, Located>()
    for (const [name, group] of groups) {
      const next = wanted?.kind === 'keys' && Object.hasOwn(wanted.keys, name) ? wanted.keys[name] : undefined
      fields.set(name, joinGroup(name, group, next))
    }
    return { line, fields, value: Object.fromEntries([...fields].map(([key, { value }]) => [key, value])) }
  }

  /** Joins all entries of one key. An empty rest means the key itself. */
  function joinGroup(name: string, group: readonly Pair[], wanted: ValueShape | undefined): Located {
    const [first, ...others] = group as [Pair, ...Pair[]]
    if (others.length === 0 && first[0] === '') return join(first[1], wanted)
    const pairs = group.flatMap(([rest, field]): readonly Pair[] => {
      if (rest !== '') return [[rest, field]]
      if (field.fields !== undefined) return [...field.fields]
      twice(name, field.line)
      return []
    })
    return joinPairs(pairs, first[1].line, wanted)
  }

  function twice(name: string, line: number): void {
    diagnostics.push({
      path,
      line,
      severity: 'error',
      code: 'yaml-duplicate-key',
      message: `${name} is set twice.`,
      fix: 'Remove one of them.',
    })
  }
}

/** Splits a key at the first dot. A key that starts or ends with a dot is not dotted. */
function split(key: string): [name: string, rest: string] {
  const dot = key.indexOf('.')
  return dot <= 0 || dot === key.length - 1 ? [key, ''] : [key.slice(0, dot), key.slice(dot + 1)]
}
