import type { WireCall } from '@cadre/core'
import type { WireCallDelta } from './wire-completion.ts'

interface PartialCall {
  id: string
  name: string
  arguments: string
  readonly index: number | undefined
}

/** Assembles tool calls from their pieces, for all common ways of numbering them. */
export class CallAssembler {
  readonly #calls: PartialCall[] = []

  add(delta: WireCallDelta): void {
    const index = typeof delta.index === 'number' ? delta.index : undefined
    const id = typeof delta.id === 'string' ? delta.id : ''
    const name = typeof delta.function?.name === 'string' ? delta.function.name : ''
    const call = this.#belongsTo(index, id, name) ?? this.#begin(index)
    if (call.id === '') call.id = id
    if (call.name === '') call.name = name
    call.arguments += textOf(delta.function?.arguments)
  }

  /** A call without an id keeps an empty one: the recorder numbers it. */
  finish(): WireCall[] {
    return this.#calls
      .filter((call) => call.name !== '' || call.arguments !== '')
      .map(({ id, name, arguments: text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text === '' ? '{}' : text },
      }))
  }

  #belongsTo(index: number | undefined, id: string, name: string): PartialCall | undefined {
    const candidates = this.#calls
    const last = candidates[candidates.length - 1]
    // A new id counts only together with a name: some servers send another id with every piece of the same call.
    const isOther = (call: PartialCall) => id !== '' && call.id !== '' && call.id !== id && name !== ''
    if (index !== undefined) {
      for (let i = candidates.length - 1; i >= 0; i--) {
        const call = candidates[i]
        // Others number every call 0, and distinguish them by id.
        if (call?.index === index) return isOther(call) ? this.#withId(id) : call
      }
      return undefined
    }
    const known = id === '' ? undefined : this.#withId(id)
    if (known !== undefined || last === undefined) return known
    // Without number and id: a name starts a call, anything else continues the last one.
    if (id === '') return name === '' || last.name === '' ? last : undefined
    return isOther(last) || (last.id === '' && name !== '') ? undefined : last
  }

  #withId(id: string): PartialCall | undefined {
    return this.#calls.find((call) => call.id === id)
  }

  #begin(index: number | undefined): PartialCall {
    const call: PartialCall = { id: '', name: '', arguments: '', index }
    this.#calls.push(call)
    return call
  }
}

// Some servers send the arguments as an object instead of text.
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
