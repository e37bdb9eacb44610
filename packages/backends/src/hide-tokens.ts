import type { Environment } from './child-environment.ts'

/** Tokens of GitHub and Copilot, and what follows `Bearer` or `token`, as text, in JSON or in an address. */
const tokens =
  /gh[a-z]_[A-Za-z0-9_]{8,}|github_pat_[A-Za-z0-9_]+|tid(=|%3D)[^\s"'\\]+|(?<=(bearer|token)(\\?["']|%22)?([ :=]|%20|%3A|%3D)+(\\?["']|%22)?)[^\s"',\\&%]{8,}/gi

/** Errors and notices are shown and recorded, and a server may put its request into them. */
export function hideTokens(text: string): string {
  return text.replace(tokens, '[hidden]')
}

/** Hides the tokens that a server gets from its environment, too, whatever they look like. */
export function tokenHider(env: Environment): (text: string) => string {
  // Something shorter is no token, and would be found everywhere.
  const own = [env.GH_COPILOT_TOKEN, env.GITHUB_COPILOT_TOKEN].filter((token = '') => token.length >= 8)
  return (text) =>
    hideTokens(own.reduce<string>((rest, token = '') => rest.replaceAll(token, '[hidden]'), text))
}
