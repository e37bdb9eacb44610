const mention = /(?<=^|\s)@(?:"([^"\n]+)"|([^\s"]+?))(?=[.,:;!?)]*(?:\s|$))/g

export interface Mention {
  readonly name: string
  /** Where its `@` is. */
  readonly at: number
}

/** What a text mentions with an `@`: `@notes.md`, `@"my notes.md"`. */
export function mentionsIn(text: string): Mention[] {
  return [...text.matchAll(mention)].map(({ index, 1: quoted, 2: plain }) => ({
    name: quoted ?? plain ?? '',
    at: index,
  }))
}
