import type { ModelRequest } from '@cadre/core'
import { Field, originInMemory } from '../field.ts'
import { actionKeys, type CompiledAction, compileAction } from './compile-action.ts'
import { compileCondition } from './condition.ts'
import type { RequestView } from './request-view.ts'

/** One line of the playbook, for the rounds it covers. */
export interface StepSlot {
  readonly where: string
  /** Returns undefined if none of its alternatives matches. */
  readonly pick: (asked: RequestView) => CompiledAction | undefined
}

/** Steps mapped to positions from 0. Lookup is fast even with 10,000 rounds. */
export interface StepSequence {
  readonly length: number
  slotAt(position: number): StepSlot | undefined
  /** Every line with the first and last position it covers. */
  readonly lines: readonly { readonly slot: StepSlot; readonly first: number; readonly last: number }[]
}

export function compileSteps(field: Field): StepSequence {
  const parts = field.items().map(compileStep)
  const starts: number[] = []
  let length = 0
  for (const part of parts) {
    starts.push(length)
    length += part.length
  }
  return {
    length,
    slotAt(position) {
      const index = lastAtMost(starts, position)
      return parts[index]?.slotAt(position - (starts[index] ?? 0))
    },
    lines: parts.flatMap((part, index) => {
      const start = starts[index] ?? 0
      return part.lines.map(({ slot, first, last }) => ({ slot, first: first + start, last: last + start }))
    }),
  }
}

const stepKeys = [...actionKeys, 'choose', 'steps', 'repeat']

/** The line of `default`, which covers all remaining rounds. */
export function compileDefault(field: Field): StepSlot {
  if (field.isMapping)
    for (const key of ['repeat', 'steps'])
      field.at(key)?.fail(`"${key}" is not allowed in "default", because "default" repeats forever.`)
  return compileSlot(field)
}

function compileStep(field: Field): StepSequence {
  const times = (field.isMapping ? field.at('repeat')?.whole(1) : undefined) ?? 1
  if (field.isMapping && field.at('steps') !== undefined) return compileBlock(field, times)
  const slot = compileSlot(field)
  return { length: times, slotAt: () => slot, lines: [{ slot, first: 0, last: times - 1 }] }
}

function compileSlot(field: Field): StepSlot {
  if (typeof field.value === 'function')
    return compileFunction(field, field.value as (request: ModelRequest) => unknown)
  if (!field.isMapping) field.fail('a step must be a mapping of keys to values, for example "reply: text".')
  field
    .at('when')
    ?.fail(
      '"when" is allowed only in a "choose" or "sessions" list. Other steps are selected by their position.',
    )
  if (field.at('choose') !== undefined) return compileChoice(field.mapping('a choice', ['choose', 'repeat']))
  const action = compileAction(field.mapping('a step', stepKeys))
  return { where: field.where, pick: () => action }
}

function compileBlock(field: Field, times: number): StepSequence {
  field.mapping('a block of steps', ['steps', 'repeat'])
  const inner = compileSteps(field.at('steps') as Field)
  if (inner.length === 0) field.fail('a block must have at least one step.')
  return {
    length: inner.length * times,
    slotAt: (position) => inner.slotAt(position % inner.length),
    lines: inner.lines.map((line) => ({ ...line, last: line.last + inner.length * (times - 1) })),
  }
}

function compileChoice(field: Field): StepSlot {
  const list = field.at('choose') as Field
  const alternatives = list.items().map((item) => {
    item.mapping('an alternative', ['when', ...actionKeys])
    const when = item.at('when')
    return { when: when && compileCondition(when), action: compileAction(item) }
  })
  if (alternatives.length === 0) list.fail('"choose" must have at least one alternative.')
  return {
    where: field.where,
    pick: (asked) => alternatives.find(({ when }) => when?.(asked) === undefined)?.action,
  }
}

function compileFunction(field: Field, make: (request: ModelRequest) => unknown): StepSlot {
  return {
    where: field.where,
    pick: (asked) => {
      const step = new Field(make(asked.request), originInMemory, field.path)
      return compileAction(step.mapping('a step', actionKeys))
    },
  }
}

/** Returns the index of the last start at or before `position`. */
function lastAtMost(starts: readonly number[], position: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}
