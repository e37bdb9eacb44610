import type { Environment } from '../child-environment.ts'
import { hideTokens } from '../hide-tokens.ts'

export interface Secrets {
  /** The keys of the program, the longest first: one may begin with another. */
  readonly keys: readonly string[]
  /** For model text, which may contain anything but the keys of the program. */
  hideKeys(text: string): string
  /** For messages, which may contain what was sent to a server. */
  hide(text: string): string
}

/** Hides the keys among the variables that a program gets. */
export function secretsOf(env: Environment, variables: RegExp): Secrets {
  const found = Object.entries(env).flatMap(([name, value = '']) =>
    // Shorter values are not keys, and would match everywhere.
    variables.test(name) && /KEY|TOKEN|SECRET|PASSWORD|BEARER/.test(name) && value.length >= 8 ? [value] : [],
  )
  const keys = found.sort((a, b) => b.length - a.length)
  const hideKeys = (text: string) => keys.reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text)
  return { keys, hideKeys, hide: (text) => hideTokens(hideKeys(text)) }
}
