import type { AttributeValues } from './attributes.ts'

/** Turns prompts, replies, arguments and results into attributes, without secrets. Returns nothing if content is not exported. */
export interface Content {
  /** A text, for use in an attribute. */
  text(name: string, text: string | undefined): AttributeValues
  /** Several texts, by attribute name. */
  texts(texts: { readonly [name: string]: string | undefined }): AttributeValues
  /** A message in the format of the GenAI conventions. */
  message(
    name: string,
    role: 'user' | 'assistant',
    text: string | undefined,
    calls?: readonly Call[],
  ): AttributeValues
}

export interface Call {
  readonly id: string
  readonly name: string
  readonly input: string
}

/** Secrets are masked before a text is shortened. This many extra characters are enough to recognise a secret that crosses the cut. */
const margin = 8192
const maxCalls = 100
const nothing: AttributeValues = {}

export function createContent(mask: ((text: string) => string) | undefined, longest: number): Content {
  if (mask === undefined) return { text: () => nothing, texts: () => nothing, message: () => nothing }
  const shown = (text: string, most = longest) =>
    mask(text.slice(0, most + margin))
      .slice(0, most)
      .toWellFormed()
  return {
    text: (name, text) => (text === undefined ? {} : { [name]: shown(text) }),
    texts: (texts) =>
      Object.fromEntries(
        Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, shown(text)]])),
      ),
    message(name, role, text, calls = []) {
      if (!text && calls.length === 0) return {}
      // Shortens the parts instead of the whole text, so that the result is valid JSON.
      let left = longest
      const part = (whole: string) => {
        const cut = shown(whole, left)
        left -= cut.length
        return cut
      }
      const parts = [
        ...(text ? [{ type: 'text', content: part(text) }] : []),
        ...calls.slice(0, maxCalls).map(({ id, name: tool, input }) => ({
          type: 'tool_call',
          id,
          name: tool.slice(0, 256),
          arguments: part(input),
        })),
      ]
      return { [name]: JSON.stringify([{ role, parts }]) }
    },
  }
}
