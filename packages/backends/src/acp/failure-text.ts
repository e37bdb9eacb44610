import type { AgentProgram } from './program.ts'

const isUnreachable =
  /\b(?:unable to connect|cannot connect|could not connect|connection (?:error|refused|reset)|fetch failed|network error|ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|timed out)\b/i

/** What a person reads if a program reports an error. */
export function failureText({ title, trial }: AgentProgram, why: string): string {
  const failed = `${title} failed: ${toSentence(why)}`
  if (trial === undefined || !isUnreachable.test(why)) return failed
  return `${failed} It could not reach its model. Check its settings and your network: run "${trial}" in a terminal.`
}

/** Ends with one punctuation mark. */
export function toSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
