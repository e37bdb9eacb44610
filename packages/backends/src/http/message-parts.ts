import type { Json, JsonObject, Reasoning, WireCall } from '@cadre/core'

/** Parses the arguments of an earlier call. APIs reject invalid ones, in this and every later request. */
export function inputOf({ function: { arguments: text } }: WireCall): JsonObject {
  try {
    const value = JSON.parse(text) as Json
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {
    // Sent to the model as it wrote them.
  }
  return { invalid: text }
}

/** Inserts the model's own reasoning items between the parts of its reply. Omits those of another model. */
export function withReasoning<Part>(
  parts: readonly Part[],
  reasoning: Reasoning | undefined,
  model: string,
): (Part | JsonObject)[] {
  if (reasoning === undefined || reasoning.by !== model) return [...parts]
  const all: (Part | JsonObject)[] = []
  const before = (at: number) => reasoning.items.filter((item) => Math.min(item.at, parts.length) === at)
  for (let at = 0; at <= parts.length; at++) {
    all.push(...before(at).map(({ item }) => item))
    const part = parts[at]
    if (part !== undefined) all.push(part)
  }
  return all
}

/** Half a surrogate pair, from cut text, is valid in JavaScript, but not in UTF-8. */
export function wellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed()
}
