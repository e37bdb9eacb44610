import type { Environment } from './child-environment.ts'

/** Matches tokens of GitHub and Copilot, and text after `Bearer` or `token`, as plain text, in JSON or in a URL. */
const tokens =
  /gh[a-z]_[A-Za-z0-9_]{8,}|github_pat_[A-Za-z0-9_]+|tid(=|%3D)[^\s"'\\]+|(?<=(bearer|token)(\\?["']|%22)?([ :=]|%20|%3A|%3D)+(\\?["']|%22)?)[^\s"',\\&%]{8,}/gi

/** Errors and notices are shown and recorded, and may contain a server's request. */
export function hideTokens(text: string): string {
  return text.replace(tokens, '[hidden]')
}

/** Also hides the tokens in a server's environment, whatever their format. */
export function tokenHider(env: Environment): (text: string) => string {
  // Shorter values are not tokens, and would match everywhere.
  const own = [env.GH_COPILOT_TOKEN, env.GITHUB_COPILOT_TOKEN].filter((token = '') => token.length >= 8)
  return (text) =>
    hideTokens(own.reduce<string>((rest, token = '') => rest.replaceAll(token, '[hidden]'), text))
}
