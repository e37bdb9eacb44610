import type { Style } from '../style.ts'

export type Mark = keyof Style

/** A piece of text with one style. */
export interface Span {
  readonly text: string
  readonly marks: readonly Mark[]
}

export function paintSpan({ text, marks }: Span, style: Style): string {
  return marks.reduce((painted, mark) => style[mark](painted), text)
}
