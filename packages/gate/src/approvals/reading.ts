import type { Answer } from '@cadre/core'

/** What a form says about its approval. Unclear: somebody wrote something there that is no decision. */
export type Reading =
  | { readonly kind: 'none' }
  | { readonly kind: 'decided'; readonly answer: Answer }
  | { readonly kind: 'unclear'; readonly why: string }

export const undecided: Reading = { kind: 'none' }

export const actionChanged: Reading = {
  kind: 'unclear',
  why: 'the action in the file is not the requested one. Remove it from the file, and Cadre writes it again',
}

/** Names and reasons that people type: one line, without quotes around it, nothing that a terminal would act upon. */
export function typedLine(text: string | undefined): string | undefined {
  const line = (text ?? '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/(?![\u200c\u200d])\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
  return line === '' ? undefined : line
}

/** The answer of a form, with what is known of who gave it and why. */
export function answerOf(decision: string, by: string | undefined, reason: string | undefined): Answer {
  const name = typedLine(by)?.slice(0, 200)
  const said = typedLine(reason)
  return { decision, ...(name !== undefined && { by: name }), ...(said !== undefined && { reason: said }) }
}
