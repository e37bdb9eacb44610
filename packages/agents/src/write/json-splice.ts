import type { Json } from '@cadre/core'
import type { Node } from 'jsonc-parser'
import { jsonParser } from '../settings/json-parser.ts'

export type JsonPath = readonly (string | number)[]

/** Inserts an item into the list at `path`, which must exist. */
export function insertItem(text: string, path: JsonPath, index: number, value: Json): string {
  return insertChild(text, nodeAt(text, path), index, (style) => renderValue(value, style))
}

/** Sets a key: replaces its value, or appends the key. The parent object must exist. */
export function setKey(text: string, path: JsonPath, value: Json): string {
  const key = String(path.at(-1))
  const present = find(text, path)
  if (present !== undefined) {
    const style = styleOf(text, indentAt(text, present.offset))
    return splice(text, present.offset, present.length, renderValue(value, style))
  }
  const parent = nodeAt(text, path.slice(0, -1))
  const write = (style: Style) => `${JSON.stringify(key)}: ${renderValue(value, style)}`
  return insertChild(text, parent, parent.children?.length ?? 0, write)
}

/** Removes a key or an item with its comma, and with its lines if nothing else is on them. Nothing else changes. */
export function removeAt(text: string, path: JsonPath): string {
  const value = nodeAt(text, path)
  const node = value.parent?.type === 'property' ? value.parent : value
  const siblings = node.parent?.children ?? []
  const index = siblings.indexOf(node)
  const end = node.offset + node.length
  const comma = commaAfter(text, end)
  const before = siblings[index - 1]
  let edited = cutLines(text, node.offset, comma === undefined ? end : comma + 1)
  if (comma === undefined && before !== undefined) {
    const left = commaAfter(text, before.offset + before.length)
    if (left !== undefined) edited = splice(edited, left, 1, '')
  }
  return edited
}

interface Style {
  readonly unit: string
  readonly indent: string
  readonly eol: string
}

function insertChild(text: string, parent: Node, index: number, write: (style: Style) => string): string {
  const children = parent.children ?? []
  const outer = indentAt(text, parent.offset)
  const { unit, eol } = styleOf(text, outer)
  const before = children[index - 1]
  const first = children[0]
  if (first === undefined) {
    const added = `${eol}${outer}${unit}${write({ unit, eol, indent: outer + unit })}${eol}${outer}`
    return splice(text, parent.offset + 1, parent.length - 2, commentsInside(text, parent) + added)
  }
  const isOnOwnLine = text.slice(0, first.offset).trimEnd().length < lineStart(text, first.offset)
  const indent = isOnOwnLine ? indentAt(text, first.offset) : outer + unit
  const json = write({ unit, eol, indent })
  if (before === undefined) return splice(text, first.offset, 0, `${json},${eol}${indent}`)
  const end = before.offset + before.length
  const comma = commaAfter(text, end)
  const from = comma === undefined ? end : comma + 1
  // A comment after an entry stays with it.
  const note = /^[ \t]*(?:\/\/[^\n\r]*|\/\*[^\n\r]*\*\/[ \t]*)?(?=\r?\n|$)/.exec(text.slice(from))?.[0]
  if (comma !== undefined) return splice(text, from + (note?.length ?? 0), 0, `${eol}${indent}${json},`)
  const added = splice(text, from + (note?.length ?? 0), 0, `${eol}${indent}${json}`)
  return splice(added, end, 0, ',')
}

/** Returns the comments in an object or a list without entries. */
function commentsInside(text: string, { offset, length }: Node): string {
  return text.slice(offset + 1, offset + length - 1).trimEnd()
}

/** Cuts a range. If it fills its lines, except for a comment after it, the lines are removed too. */
function cutLines(text: string, from: number, to: number): string {
  const start = lineStart(text, from)
  const rest = /^[ \t]*(?:\/\/[^\n\r]*)?(\r?\n)/.exec(text.slice(to))
  const isWhole = text.slice(start, from).trim() === '' && rest !== null
  return isWhole ? splice(text, start, to + rest[0].length - start, '') : splice(text, from, to - from, '')
}

function commaAfter(text: string, end: number): number | undefined {
  const scanner = jsonParser().createScanner(text, true)
  scanner.setPosition(end)
  scanner.scan()
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : undefined
}

function find(text: string, path: JsonPath): Node | undefined {
  const { parseTree, findNodeAtLocation } = jsonParser()
  const root = parseTree(text, [], { allowTrailingComma: true })
  return root === undefined ? undefined : findNodeAtLocation(root, [...path])
}

function nodeAt(text: string, path: JsonPath): Node {
  const node = find(text, path)
  if (node === undefined) throw new Error(`unreachable: nothing at ${path.join('.')}`)
  return node
}

function renderValue(value: Json, { unit, indent, eol }: Style): string {
  return JSON.stringify(value, undefined, unit).replaceAll('\n', `${eol}${indent}`)
}

function styleOf(text: string, indent: string): Style {
  const unit = /^\t/m.test(text) ? '\t' : (/^( +)\S/m.exec(text)?.[1] ?? '  ')
  return { unit, indent, eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? ''
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

function splice(text: string, offset: number, length: number, added: string): string {
  return text.slice(0, offset) + added + text.slice(offset + length)
}
