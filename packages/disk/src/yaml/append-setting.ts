import { isDeepStrictEqual } from 'node:util'
import { readAnyYaml } from './located.ts'

export interface NewSetting {
  /** The path of the file, for messages. */
  readonly path: string
  readonly key: string
  readonly value: boolean | string
}

export type AppendedSetting =
  | { readonly kind: 'appended'; readonly line: string; readonly text: string }
  /** The file already has this value. */
  | { readonly kind: 'there' }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Appends a key to a YAML file without changing earlier bytes. Refuses if the result would not mean the old content plus the key, as in a
 * file in flow style.
 */
export function appendSetting(text: string, { path, key, value }: NewSetting): AppendedSetting {
  const before = fieldsOf(text, path)
  if (typeof before === 'string') return { kind: 'refused', reason: before }
  const known = before.get(key)
  if (known !== undefined)
    return known.value === value
      ? { kind: 'there' }
      : {
          kind: 'refused',
          reason: `${path}:${known.line}: ${key} is already set to ${JSON.stringify(known.value)}. Change it there.`,
        }
  const line = `${/^[A-Za-z][\w. -]*$/.test(key) ? key.trimEnd() : JSON.stringify(key)}: ${value}`
  const appended = `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`
  const after = fieldsOf(appended, path)
  const wanted = [...[...before].map(([name, field]) => [name, field.value]), [key, value]]
  if (
    typeof after === 'string' ||
    !isDeepStrictEqual(
      [...after].map(([name, field]) => [name, field.value]),
      wanted,
    )
  )
    return {
      kind: 'refused',
      reason: `${path}: Cadre cannot add a key, because the file does not have one key per line. Add this key yourself: ${line}`,
    }
  return { kind: 'appended', line, text: appended }
}

type Fields = ReadonlyMap<string, { readonly line: number; readonly value: unknown }>

function fieldsOf(text: string, path: string): Fields | string {
  if (text.replace(/^\ufeff/, '').trim() === '') return new Map()
  const read = readAnyYaml({ text, path })
  if (read.kind === 'broken') {
    const [first] = read.diagnostics
    return `${path}:${first?.line ?? 1}: ${first?.message ?? 'This is not valid YAML.'}`
  }
  if (read.root.value === null) return new Map()
  return read.root.fields ?? `${path}: this file must contain keys and values.`
}
