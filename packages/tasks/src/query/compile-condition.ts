import { type FieldValue, fieldReader, type TaskRow } from './field-value.ts'
import { likePattern } from './like.ts'
import type { Comparison, Condition, FieldName, Literal } from './query.ts'

/** Undefined means unknown: a compared field is missing. */
export type TruthValue = boolean | undefined

/**
 * Evaluates a condition with three-valued logic: a comparison with a missing field is neither true nor false, and neither is its negation.
 * Only true selects a task.
 */
export function compileCondition(condition: Condition): (row: TaskRow) => TruthValue {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return combineTests(condition.of.map(compileCondition), condition.kind === 'or')
    case 'not': {
      const of = compileCondition(condition.of)
      return (row) => {
        const truth = of(row)
        return truth === undefined ? undefined : !truth
      }
    }
    case 'null': {
      const read = fieldReader(condition.field.name)
      return (row) => read(row) === null
    }
    case 'compare':
      return compileComparison(condition.field, condition.operator, condition.value)
    case 'in': {
      const tests = condition.values.map((value) => (member: Scalar) => isEqual(member, value))
      return matchAnyMember(condition.field, (member) => tests.some((test) => test(member)))
    }
    case 'like': {
      const fits = likePattern(condition.value.text)
      return matchAnyMember(condition.field, (member) => fits(String(member)))
    }
    case 'contains': {
      const { value } = condition
      const read = fieldReader(condition.field.name)
      return (row) => {
        const found = read(row)
        if (found === null) return undefined
        return Array.isArray(found)
          ? found.some((one) => isEqual(one, value))
          : String(found).includes(value.text)
      }
    }
  }
}

type Scalar = string | number | boolean

/** A deciding operand ends the evaluation. Otherwise one unknown operand makes the result unknown. */
function combineTests(
  tests: readonly ((row: TaskRow) => TruthValue)[],
  deciding: boolean,
): (row: TaskRow) => TruthValue {
  return (row) => {
    let result: TruthValue = !deciding
    for (const test of tests) {
      const truth = test(row)
      if (truth === deciding) return deciding
      if (truth === undefined) result = undefined
    }
    return result
  }
}

function compileComparison(
  field: FieldName,
  operator: Comparison,
  value: Literal,
): (row: TaskRow) => TruthValue {
  if (operator === '=') return matchAnyMember(field, (member) => isEqual(member, value))
  if (operator === '!=') {
    const equal = matchAnyMember(field, (member) => isEqual(member, value))
    return (row) => {
      const truth = equal(row)
      return truth === undefined ? undefined : !truth
    }
  }
  const holds = orders[operator]
  const read = fieldReader(field.name)
  return (row) => {
    const found = read(row) as Exclude<FieldValue, readonly string[]>
    const order = found === null ? undefined : orderOf(found, value)
    return order === undefined ? undefined : holds(order)
  }
}

const orders: { readonly [operator in Exclude<Comparison, '=' | '!='>]: (order: number) => boolean } = {
  '<': (order) => order < 0,
  '>': (order) => order > 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
}

/** For a list: returns whether any member passes. */
function matchAnyMember(
  { name }: FieldName,
  test: (member: Scalar) => boolean,
): (row: TaskRow) => TruthValue {
  const read = fieldReader(name)
  return (row) => {
    const found = read(row)
    if (found === null) return undefined
    return typeof found === 'object' ? found.some(test) : test(found)
  }
}

function isEqual(found: Scalar, value: Literal): boolean {
  if (value.kind === 'number') return parseDecimal(found) === value.number
  if (value.kind === 'boolean') return String(found).toLowerCase() === value.text
  return String(found) === value.text
}

/** Returns `undefined` if the values cannot be compared: a number and other text. */
function orderOf(found: Scalar, value: Literal): number | undefined {
  if (value.kind === 'text') return compareText(String(found), value.text)
  if (value.kind === 'boolean') {
    const truth = typeof found === 'boolean' ? found : undefined
    return truth === undefined ? undefined : Number(truth) - Number(value.is)
  }
  const number = parseDecimal(found)
  return number === undefined ? undefined : number - value.number
}

/** Compares by code units, which sorts ISO timestamps correctly. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const digits = /^[+-]?\d{1,30}(\.\d{1,30})?$/

/** Returns the number if the whole text is a plain decimal number. An id such as 1234e567 is not. */
export function parseDecimal(value: Scalar): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && digits.test(value) ? Number(value) : undefined
}
