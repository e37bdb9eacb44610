import type { Environment } from '../child-environment.ts'
import { hideTokens } from '../hide-tokens.ts'

export interface Secrets {
  /** For model text, which may contain anything but the keys of the program. */
  hideKeys(text: string): string
  /** For messages, which may contain what was sent to a server. */
  hide(text: string): string
}

/** Hides the keys among the variables that a program gets. */
export function secretsOf(env: Environment, variables: RegExp): Secrets {
  const secrets = Object.entries(env).flatMap(([name, value = '']) =>
    // Shorter values are not keys, and would match everywhere.
    variables.test(name) && /KEY|TOKEN|SECRET|PASSWORD|BEARER/.test(name) && value.length >= 8 ? [value] : [],
  )
  const hideKeys = (text: string) =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text)
  return { hideKeys, hide: (text) => hideTokens(hideKeys(text)) }
}
