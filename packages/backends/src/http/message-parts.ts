import type { Json, JsonObject, Reasoning, WireCall } from '@cadre/core'

/** The arguments of an earlier call as an object. APIs refuse broken ones, in this and every later request. */
export function inputOf({ function: { arguments: text } }: WireCall): JsonObject {
  try {
    const value = JSON.parse(text) as Json
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {
    // Told to the model as it wrote it.
  }
  return { invalid: text }
}

/** Puts the items that this model reasoned with back between the parts of its reply. Those of another model are left out. */
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

/** Half a surrogate pair, from text that was cut somewhere, is valid in a string here and in no other language's UTF-8. */
export function wellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed()
}
