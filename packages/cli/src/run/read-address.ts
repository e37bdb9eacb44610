import { nameKey } from '@cadre/core'

/** The agent that a message addresses. */
export type AgentAddress =
  /** None; `text` is the message, without the backslash that escaped an `@`. */
  | { readonly kind: 'none'; readonly text: string }
  | { readonly kind: 'agent'; readonly name: string; readonly text: string }
  /** It starts with `@` and an unknown name. */
  | { readonly kind: 'unknown'; readonly name: string }

/**
 * `@reviewer look at this`, `@"C# Expert" …`, or `@C# Expert …`: without quotes, the longest matching name is used. Names
 * are case-insensitive; a comma or a colon may follow.
 */
export function readAddress(text: string, names: readonly string[]): AgentAddress {
  if (text.startsWith('\\@')) return { kind: 'none', text: text.slice(1) }
  if (!/^@\S/.test(text)) return { kind: 'none', text }
  const quoted = /^@"([^"\n]+)"[,:]?(?=\s|$)/.exec(text)
  if (quoted !== null) {
    const [whole, wanted = ''] = quoted
    const name = names.find((candidate) => nameKey(candidate) === nameKey(wanted))
    return name === undefined
      ? { kind: 'unknown', name: wanted }
      : createAddress(name, text.slice(whole.length))
  }
  const fitting = names
    .filter((name) => name !== '' && startsWithName(text.slice(1), name))
    .sort((a, b) => b.length - a.length)
  const [name] = fitting
  if (name !== undefined) return createAddress(name, text.slice(1 + name.length).replace(/^[,:]/, ''))
  return { kind: 'unknown', name: /^@([^\s,:]*)/.exec(text)?.[1] ?? '' }
}

function startsWithName(text: string, name: string): boolean {
  return (
    nameKey(text.slice(0, name.length)) === nameKey(name) && /^[,:]?(?:\s|$)/.test(text.slice(name.length))
  )
}

function createAddress(name: string, text: string): AgentAddress {
  return { kind: 'agent', name, text: text.trim() }
}
