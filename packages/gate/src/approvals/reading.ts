import type { Answer } from '@cadre/core'

/** The decision in a form. `unclear`: the form contains text that is not a valid decision. */
export type Reading =
  | { readonly kind: 'none' }
  | { readonly kind: 'decided'; readonly answer: Answer }
  | { readonly kind: 'unclear'; readonly why: string }

export const noDecision: Reading = { kind: 'none' }

export const actionChanged: Reading = {
  kind: 'unclear',
  why: 'the action in the file differs from the requested action. Delete it, and Cadre writes the requested action again',
}

/** Normalizes names and reasons that people type: one line, without surrounding quotes or terminal escapes. */
export function normalizeTypedLine(text: string | undefined): string | undefined {
  const line = (text ?? '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/(?![\u200c\u200d])\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
  return line === '' ? undefined : line
}

/** Builds the answer from a form, with its author and reason if known. */
export function answerOf(decision: string, by: string | undefined, reason: string | undefined): Answer {
  const name = normalizeTypedLine(by)?.slice(0, 200)
  const said = normalizeTypedLine(reason)
  return { decision, ...(name !== undefined && { by: name }), ...(said !== undefined && { reason: said }) }
}
