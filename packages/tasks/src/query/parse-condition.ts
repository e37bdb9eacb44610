import { nearest } from '@cadre/core'
import { acceptToken, isKeyword, isSign, unexpectedToken } from './expect-token.ts'
import { fieldKind } from './field-value.ts'
import { maxPatternLength } from './like.ts'
import type { Comparison, Condition, FieldName, Literal } from './query.ts'
import type { Scanner, Token } from './scan-query.ts'

export interface Expressions {
  condition(): Condition
  field(wanted: string): FieldName
  value(): Literal
  /** In parentheses. */
  values(): readonly Literal[]
}

/** Deeper than any real query, and far below the stack limit. */
const maxDepth = 100

const comparisons: readonly string[] = ['=', '!=', '<>', '<', '>', '<=', '>=']
const keywords = [
  ...['SELECT', 'FROM', 'WHERE', 'ORDER', 'BY', 'ASC', 'DESC', 'LIMIT', 'INTO', 'INSERT', 'SET', 'UPDATE'],
  ...['DELETE', 'AND', 'OR', 'NOT', 'LIKE', 'IN', 'CONTAINS', 'IS', 'NULL', 'TRUE', 'FALSE'],
]
const operators = 'an operator (= != < > <= >= LIKE IN CONTAINS IS)'
const operatorWords = ['LIKE', 'IN', 'CONTAINS', 'IS', 'NOT']

/** Reads conditions and values from one scanner. */
export function readExpressions(scanner: Scanner): Expressions {
  let depth = 0
  return { condition, field, value, values }

  function condition(): Condition {
    return chain('or', 'OR', () => chain('and', 'AND', negation))
  }

  function chain(kind: 'and' | 'or', keyword: string, read: () => Condition): Condition {
    const first = read()
    const of = [first]
    while (acceptToken(scanner, keyword)) of.push(read())
    return of.length === 1 ? first : { kind, of }
  }

  function negation(): Condition {
    const token = scanner.peek()
    if (acceptToken(scanner, 'NOT')) return { kind: 'not', of: deeper(token, negation) }
    if (!isSign(token, '(')) return comparison()
    scanner.next()
    const inner = deeper(token, condition)
    const end = scanner.next()
    return isSign(end, ')') ? inner : unexpectedToken(scanner, end, 'AND, OR or )', ['AND', 'OR'])
  }

  function deeper(token: Token, read: () => Condition): Condition {
    depth += 1
    if (depth > maxDepth)
      scanner.fail(token.at, `Conditions are nested too deeply (at most ${maxDepth} levels).`)
    const found = read()
    depth -= 1
    return found
  }

  function comparison(): Condition {
    const left = field('a condition: the name of a field, NOT or (')
    const token = scanner.peek()
    if (token.kind === 'sign' && comparisons.includes(token.text)) {
      scanner.next()
      return compare(left, token)
    }
    if (acceptToken(scanner, 'IS')) {
      const isNegated = acceptToken(scanner, 'NOT')
      const end = scanner.next()
      if (!isKeyword(end, 'NULL')) unexpectedToken(scanner, end, isNegated ? 'NULL' : 'NULL or NOT NULL')
      const isNull: Condition = { kind: 'null', field: left }
      return isNegated ? { kind: 'not', of: isNull } : isNull
    }
    const isNegated = acceptToken(scanner, 'NOT')
    const found = matching(left)
    if (found !== undefined) return isNegated ? { kind: 'not', of: found } : found
    // Allows `NOT completed` for a boolean field.
    if (!isNegated && fieldKind(left.name) === 'boolean' && !isStrange(scanner.peek()))
      return {
        kind: 'compare',
        field: left,
        operator: '=',
        value: { kind: 'boolean', text: 'true', is: true },
      }
    return unexpectedToken(
      scanner,
      scanner.peek(),
      isNegated ? 'LIKE, IN or CONTAINS' : operators,
      operatorWords,
    )
  }

  /** A word that neither continues nor ends the condition, so it was probably meant as an operator. */
  function isStrange(token: Token): boolean {
    const follows = ['AND', 'OR', 'ORDER', 'LIMIT', 'INTO']
    return (
      token.kind !== 'end' &&
      !isSign(token, ')') &&
      !isSign(token, ';') &&
      !follows.some((word) => isKeyword(token, word))
    )
  }

  function compare(left: FieldName, sign: Token): Condition {
    const operator = (sign.text === '<>' ? '!=' : sign.text) as Comparison
    if (operator !== '=' && operator !== '!=' && fieldKind(left.name) === 'list')
      scanner.fail(
        sign.at,
        `${left.name} is a list, which ${operator} cannot compare. Use =, CONTAINS or IN.`,
      )
    const { at } = scanner.peek()
    if (isKeyword(scanner.peek(), 'NULL'))
      scanner.fail(at, `${operator} NULL is never true. Use IS NULL or IS NOT NULL.`)
    return { kind: 'compare', field: left, operator, value: value() }
  }

  function matching(left: FieldName): Condition | undefined {
    if (acceptToken(scanner, 'IN')) return { kind: 'in', field: left, values: values() }
    if (acceptToken(scanner, 'CONTAINS')) return { kind: 'contains', field: left, value: value() }
    if (!acceptToken(scanner, 'LIKE')) return undefined
    const { at } = scanner.peek()
    const pattern = value()
    if (pattern.text.length > maxPatternLength)
      scanner.fail(at, `The pattern is too long (at most ${maxPatternLength} characters).`)
    return { kind: 'like', field: left, value: pattern }
  }

  function field(wanted: string): FieldName {
    const token = scanner.next()
    if (token.kind === 'name' && token.text !== '') return { name: token.text, at: token.at }
    if (token.kind !== 'word' || keywords.includes(token.text.toUpperCase()))
      return unexpectedToken(scanner, token, wanted)
    return { name: token.text, at: token.at }
  }

  function values(): Literal[] {
    const open = scanner.next()
    if (!isSign(open, '(')) unexpectedToken(scanner, open, '(')
    const all = [value()]
    for (;;) {
      const token = scanner.next()
      if (isSign(token, ')')) return all
      if (!isSign(token, ',')) unexpectedToken(scanner, token, ', or )')
      all.push(value())
    }
  }

  function value(): Literal {
    const token = scanner.next()
    if (token.kind === 'text') return { kind: 'text', text: token.text }
    if (token.kind === 'number') return { kind: 'number', text: token.text, number: Number(token.text) }
    if (isKeyword(token, 'TRUE')) return { kind: 'boolean', text: 'true', is: true }
    if (isKeyword(token, 'FALSE')) return { kind: 'boolean', text: 'false', is: false }
    if (isKeyword(token, 'NULL')) return scanner.fail(token.at, 'You cannot compare with NULL. Use IS NULL.')
    if (token.kind !== 'word')
      return unexpectedToken(scanner, token, "a value: 'text', a number, TRUE or FALSE")
    const meant = nearest(token.text, ['TRUE', 'FALSE'], 1)[0]
    const hint = meant === undefined ? `write '${token.text}'` : `write '${token.text}' or ${meant}`
    return scanner.fail(token.at, `Put text in quotes: ${hint}.`)
  }
}
