const longest = 200
/** Signs that end a line, move the cursor or turn the direction of writing: they could make one name look like another. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Why a name cannot be used, in words that follow "the name …"; `undefined` when it can. */
export function faultInName(name: string): string | undefined {
  if (name.trim() === '') return 'is empty'
  if (name.length > longest) return `is longer than ${longest} characters`
  if (unprintable.test(name)) return 'is not one line of printable text'
  return undefined
}

/** Names are compared without case: two files that differ only in it are one agent. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** `planner-001` for `…/templates/planner-001.agent.yaml`. */
export function nameOfFile(path: string): string {
  const base = path.split(/[\\/]/).at(-1) ?? ''
  return base.replace(/(?:\.(?:agent|chatmode))?\.(?:md|ya?ml)$/i, '')
}
