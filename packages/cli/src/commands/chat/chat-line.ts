import { type Address, readAddress } from '../../run/read-address.ts'

/** What a person meant by a line. */
export type Meaning =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: string; readonly rest: string }
  /** One of the handoffs on offer, from 1. */
  | { readonly kind: 'handoff'; readonly number: number }
  | Exclude<Address, { kind: 'none' }>

/**
 * `/name …` is a command, `@name …` addresses an agent, a number takes a handoff as long as there is one of that number. A
 * message that begins like one of these is written `//…`, or with a backslash before it.
 */
export function understandLine(line: string, known: { names: readonly string[]; handoffs: number }): Meaning {
  const text = line.trim()
  if (text.startsWith('//')) return { kind: 'message', text: text.slice(1) }
  if (/^\\[/@\d]/.test(text)) return { kind: 'message', text: text.slice(1) }
  if (text.startsWith('/')) {
    const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? []
    return { kind: 'command', name: name.toLowerCase(), rest: rest.trim() }
  }
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= known.handoffs) return { kind: 'handoff', number }
  const address = readAddress(text, known.names)
  return address.kind === 'none' ? { kind: 'message', text: address.text } : address
}
