import type { Json } from '@cadre/core'
import type { Node } from 'jsonc-parser'
import { jsonParser } from '../settings/json-parser.ts'
import { readJson } from '../settings/read-json.ts'

export type EditedJson =
  | { readonly kind: 'edited'; readonly text: string }
  /** The file cannot be edited. The reason follows the path and the line in the message. */
  | { readonly kind: 'refused'; readonly line: number; readonly reason: string }

export interface JsonKeyEdit {
  readonly path: string
  /** The current content; absent if the file does not exist. */
  readonly text?: string | undefined
  readonly section: string
  readonly key: string
  /** Undefined removes the key. */
  readonly value: Json | undefined
}

/** Sets or removes one key in a section of a JSON file with comments. The rest of the file does not change. */
export function editJsonKey({ path, text: given, section, key, value }: JsonKeyEdit): EditedJson {
  const whole = given === undefined || given.trim() === '' ? '{}\n' : given
  const mark = whole.startsWith('\ufeff') ? '\ufeff' : ''
  const text = whole.slice(mark.length)
  const { root, diagnostics } = readJson({ path, text })
  const broken = diagnostics.find(({ severity }) => severity === 'error')
  if (broken !== undefined || root?.fields === undefined)
    return {
      kind: 'refused',
      line: broken?.line ?? 1,
      reason: broken?.message ?? 'The file must be a JSON object.',
    }
  const known = root.fields.get(section)
  if (known !== undefined && known.fields === undefined)
    return { kind: 'refused', line: known.line, reason: `"${section}" must be an object.` }
  const tree = jsonParser().parseTree(text, [], { allowTrailingComma: true }) as Node
  const found = propertyOf(tree, section)
  const edited = edit(text, { tree, section: found?.children?.[1], name: section, key, value })
  return { kind: 'edited', text: edited === text ? (given ?? '') : mark + edited }
}

interface Places {
  readonly tree: Node
  /** The value of the section, if there is one. */
  readonly section: Node | undefined
  readonly name: string
  readonly key: string
  readonly value: Json | undefined
}

function edit(text: string, { tree, section, name, key, value }: Places): string {
  const property = section && propertyOf(section, key)
  if (value === undefined)
    return section !== undefined && property !== undefined ? withoutProperty(text, section, property) : text
  const own = property?.children?.[1]
  if (own !== undefined) {
    const shown = jsonText(value, layoutOf(text), indentAt(text, own.offset))
    return text.slice(0, own.offset) + shown + text.slice(endOf(own))
  }
  if (section !== undefined) return withProperty(text, section, key, value)
  return withProperty(text, tree, name, { [key]: value })
}

/** Adds a property after the last one, in the layout of the object. */
function withProperty(text: string, object: Node, key: string, value: Json): string {
  const layout = layoutOf(text)
  const last = object.children?.at(-1)
  const close = endOf(object) - 1
  const end = text.slice(0, close).trimEnd().length
  const isInline = last !== undefined && text.slice(0, last.offset).split('\n').at(-1)?.trim() !== ''
  const outer = indentAt(text, object.offset)
  const indent = last === undefined || isInline ? outer + layout.unit : indentAt(text, last.offset)
  const start = isInline ? ' ' : layout.eol + indent
  const shown = isInline ? JSON.stringify(value) : jsonText(value, layout, indent)
  const added = `${start}${JSON.stringify(key)}: ${shown}`
  // The closing bracket gets its own line, unless it has one.
  const rest =
    text.slice(end, close).includes('\n') || isInline
      ? text.slice(end)
      : layout.eol + outer + text.slice(close)
  const comma = last === undefined ? undefined : commaAfter(text, endOf(last), close)
  const isSeparated = last === undefined || comma !== undefined
  const before = isSeparated
    ? text.slice(0, end)
    : `${text.slice(0, endOf(last))},${text.slice(endOf(last), end)}`
  return before + added + rest
}

/** Removes a property with its line and one comma. Comments of its neighbours stay. */
function withoutProperty(text: string, object: Node, property: Node): string {
  const all = object.children ?? []
  const at = all.indexOf(property)
  const start = text.slice(0, property.offset).trimEnd().length
  const next = all[at + 1]
  const own = commaAfter(text, endOf(property), next?.offset ?? endOf(object) - 1)
  const previous = all[at - 1]
  const earlier = previous && commaAfter(text, endOf(previous), property.offset)
  if (own !== undefined) return text.slice(0, start) + text.slice(endOf(property), own) + text.slice(own + 1)
  const rest = text.slice(endOf(property))
  if (earlier === undefined) return text.slice(0, start) + rest
  return text.slice(0, earlier) + text.slice(earlier + 1, start) + rest
}

/** The position of the comma between two places, outside comments. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const scanner = jsonParser().createScanner(text.slice(0, to), true)
  scanner.setPosition(from)
  scanner.scan()
  const offset = scanner.getTokenOffset()
  return offset < to && text[offset] === ',' ? offset : undefined
}

function propertyOf(object: Node, key: string): Node | undefined {
  return object.children?.find(({ children }) => children?.[0]?.value === key)
}

interface Layout {
  readonly eol: string
  readonly unit: string
}

function layoutOf(text: string): Layout {
  return {
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    unit: /^([\t ]+)\S/m.exec(text)?.[1] ?? '  ',
  }
}

function indentAt(text: string, offset: number): string {
  return /^[\t ]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? ''
}

function jsonText(value: Json, { eol, unit }: Layout, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', eol + indent)
}

function endOf({ offset, length }: Node): number {
  return offset + length
}
