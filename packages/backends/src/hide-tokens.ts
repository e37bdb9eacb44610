/** Tokens of GitHub and Copilot, and what follows `Bearer`. */
const tokens =
  /\bgh[a-z]_[A-Za-z0-9_]{4,}|\bgithub_pat_[A-Za-z0-9_]+|\btid=[^\s"'\\]+|(?<=\b(?:bearer|token)[ :=]+)[^\s"',]{8,}/gi

/** Errors and notices are shown and recorded, and a server may put its request into them. */
export function hideTokens(text: string): string {
  return text.replace(tokens, '[hidden]')
}
