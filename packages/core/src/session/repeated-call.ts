import type { ResultEntry, WireCall } from '../ports/entry.ts'

/** A call, and how many times it was settled in a row with the same outcome. */
export interface RepeatedCall {
  readonly call: WireCall['function']
  readonly result: ResultEntry
  readonly round: number
  readonly times: number
}

/**
 * Counts one more settled call: from 1 again if it differs from the one before in its tool, its arguments or its outcome. Calls of one
 * reply count once, because the model had not seen the outcome when it repeated the call.
 */
export function repeatedCall(
  before: RepeatedCall | undefined,
  { function: call }: WireCall,
  result: ResultEntry,
  round: number,
): RepeatedCall {
  const isSame =
    before !== undefined &&
    before.call.name === call.name &&
    before.call.arguments === call.arguments &&
    before.result.outcome === result.outcome &&
    before.result.content === result.content &&
    haveSameImages(before.result, result)
  if (!isSame) return { call, result, round, times: 1 }
  return before.round === round ? before : { ...before, round, times: before.times + 1 }
}

function haveSameImages({ images: a = [] }: ResultEntry, { images: b = [] }: ResultEntry): boolean {
  return a.length === b.length && a.every((image, index) => image.data === b[index]?.data)
}
