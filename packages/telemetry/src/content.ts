import type { Values } from './attributes.ts'

/** Turns prompts, replies, arguments and results into attributes, without secrets. Returns nothing if content is not exported. */
export interface Content {
  /** A text, for use in an attribute. */
  text(name: string, text: string | undefined): Values
  /** Messages in the format of the GenAI conventions. */
  message(name: string, role: 'user' | 'assistant', text: string | undefined, calls?: readonly Call[]): Values
}

export interface Call {
  readonly id: string
  readonly name: string
  readonly input: string
}

/** Secrets are masked before a text is cut. So much beyond the cut is enough to recognise one at the cut. */
const margin = 8192
const mostCalls = 100
const nothing: Values = {}

export function createContent(mask: ((text: string) => string) | undefined, longest: number): Content {
  if (mask === undefined) return { text: () => nothing, message: () => nothing }
  const shown = (text: string, most = longest) =>
    mask(text.slice(0, most + margin))
      .slice(0, most)
      .toWellFormed()
  return {
    text: (name, text) => (text === undefined ? {} : { [name]: shown(text) }),
    message(name, role, text, calls = []) {
      if (!text && calls.length === 0) return {}
      // The parts are cut and not the whole, so that it stays JSON.
      let left = longest
      const part = (whole: string) => {
        const cut = shown(whole, left)
        left -= cut.length
        return cut
      }
      const parts = [
        ...(text ? [{ type: 'text', content: part(text) }] : []),
        ...calls.slice(0, mostCalls).map(({ id, name: tool, input }) => ({
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
