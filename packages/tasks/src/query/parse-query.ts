import { acceptToken, isKeyword, isSign, unexpectedToken } from './expect-token.ts'
import { type Expressions, readExpressions } from './parse-condition.ts'
import type { Assignment, FieldName, FileName, OrderKey, Query, SelectQuery } from './query.ts'
import { type Scanner, scanQuery, type Token } from './scan-query.ts'

const statements = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const
const parts = ['FROM', 'WHERE', 'ORDER', 'LIMIT', 'INTO', 'SET', 'BY']

/** Parses a query. Throws only a `QueryError`, which points at the mistake. */
export function parseQuery(text: string): Query {
  const scanner = scanQuery(text)
  const expressions = readExpressions(scanner)
  const first = scanner.next()
  const query = readers[keywordOf(first, statements, scanner)](text, scanner, expressions)
  if (isSign(scanner.peek(), ';')) scanner.next()
  const rest = scanner.peek()
  if (rest.kind !== 'end') unexpectedToken(scanner, rest, expectedNext(query))
  return query
}

type Reader = (text: string, scanner: Scanner, expressions: Expressions) => Query

const readers: { readonly [keyword in (typeof statements)[number]]: Reader } = {
  SELECT(text, scanner, expressions) {
    const fields = selectedFields(scanner, expressions)
    expect(scanner, 'FROM')
    const file = fileName(scanner)
    let query: SelectQuery = { kind: 'select', text, fields, file, order: [] }
    if (acceptToken(scanner, 'WHERE')) query = { ...query, where: expressions.condition() }
    if (acceptToken(scanner, 'ORDER')) {
      expect(scanner, 'BY')
      query = { ...query, order: listOf(scanner, () => orderKey(scanner, expressions)) }
    }
    if (acceptToken(scanner, 'LIMIT')) query = { ...query, limit: limit(scanner) }
    if (acceptToken(scanner, 'INTO')) query = { ...query, into: fileName(scanner, 'one file') }
    return query
  },
  INSERT(text, scanner, expressions) {
    expect(scanner, 'INTO')
    const file = fileName(scanner, 'one file')
    expect(scanner, 'SET')
    return { kind: 'insert', text, file, set: assignments(scanner, expressions) }
  },
  UPDATE(text, scanner, expressions) {
    const file = fileName(scanner)
    expect(scanner, 'SET')
    const set = assignments(scanner, expressions)
    const where = requiredWhere(scanner, expressions, 'UPDATE')
    return { kind: 'update', text, file, set, where }
  },
  DELETE(text, scanner, expressions) {
    expect(scanner, 'FROM')
    const file = fileName(scanner)
    const where = requiredWhere(scanner, expressions, 'DELETE')
    return { kind: 'delete', text, file, where }
  },
}

function selectedFields(scanner: Scanner, { field }: Expressions): '*' | FieldName[] {
  if (!isSign(scanner.peek(), '*')) return listOf(scanner, () => field('the name of a field, or *'))
  scanner.next()
  return '*'
}

function orderKey(scanner: Scanner, { field }: Expressions): OrderKey {
  const key = field('the name of a field')
  if (acceptToken(scanner, 'DESC')) return { field: key, isDescending: true }
  acceptToken(scanner, 'ASC')
  return { field: key, isDescending: false }
}

function limit(scanner: Scanner): number {
  const token = scanner.next()
  const isWhole = token.kind === 'number' && /^\d{1,9}$/.test(token.text)
  return isWhole ? Number(token.text) : unexpectedToken(scanner, token, 'a whole number of at least 0')
}

function assignments(scanner: Scanner, { field, value, values }: Expressions): Assignment[] {
  const taken = new Map<string, Assignment>()
  const all = listOf(scanner, (): Assignment => {
    const target = field('the name of a field')
    const sign = scanner.next()
    if (!isSign(sign, '=')) unexpectedToken(scanner, sign, '=')
    const { at } = scanner.peek()
    const given = isSign(scanner.peek(), '(') ? values() : acceptToken(scanner, 'NULL') ? null : value()
    const assignment = { field: target, value: given, at }
    if (taken.has(target.name)) scanner.fail(target.at, `${target.name} is set twice.`)
    taken.set(target.name, assignment)
    return assignment
  })
  return all
}

function requiredWhere(scanner: Scanner, { condition }: Expressions, statement: string) {
  const token = scanner.peek()
  if (acceptToken(scanner, 'WHERE')) return condition()
  if (token.kind !== 'end' && !isSign(token, ';'))
    unexpectedToken(scanner, token, statement === 'UPDATE' ? ', or WHERE' : 'WHERE')
  return scanner.fail(token.at, `${statement} needs a WHERE. For all tasks, use WHERE id IS NOT NULL.`)
}

function fileName(scanner: Scanner, one?: 'one file'): FileName {
  const { name, at, isQuoted } = scanner.file()
  if (name === '') {
    const sentence = isQuoted ? 'A file name must not be empty.' : 'Expected a file name.'
    return scanner.fail(at, sentence)
  }
  if (!isQuoted && parts.includes(name.toUpperCase()))
    scanner.fail(at, `Expected a file name, not ${name}. If the file has this name, put it in quotes.`)
  if (name.length > 4096 || name.includes('\0')) scanner.fail(at, 'This is not a valid file name.')
  if (one && name.includes('*')) scanner.fail(at, 'This must be one file, not a pattern.')
  return { name, at }
}

function listOf<T>(scanner: Scanner, read: () => T): T[] {
  const all = [read()]
  while (isSign(scanner.peek(), ',')) {
    scanner.next()
    all.push(read())
  }
  return all
}

function expect(scanner: Scanner, keyword: string): void {
  const token = scanner.next()
  if (!isKeyword(token, keyword)) unexpectedToken(scanner, token, keyword, [keyword])
}

function keywordOf<K extends string>(token: Token, keywords: readonly K[], scanner: Scanner): K {
  const found = keywords.find((keyword) => isKeyword(token, keyword))
  return found ?? unexpectedToken(scanner, token, keywords.join(', '), keywords)
}

function expectedNext(query: Query): string {
  switch (query.kind) {
    case 'select': {
      if (query.into !== undefined) return 'the end of the query'
      if (query.limit !== undefined) return 'INTO or the end of the query'
      if (query.order.length > 0) return 'ASC, DESC, LIMIT, INTO or the end of the query'
      const open = 'ORDER BY, LIMIT, INTO or the end of the query'
      return query.where === undefined ? `WHERE, ${open}` : `AND, OR, ${open}`
    }
    case 'insert':
      return ', or the end of the query'
    default:
      return 'AND, OR or the end of the query'
  }
}
