/** Letters and digits of any script, and what names in the dialects are written with. Nothing that a path or a list could trip over. */
const safe = /^[\p{L}\p{M}\p{N}.#+&:_()'-]+(?: [\p{L}\p{M}\p{N}.#+&:_()'-]+)*$/u
const longest = 100

/** Why a name cannot be used, in words that follow "the name …"; `undefined` when it can. */
export function faultInName(name: string): string | undefined {
  if (name === '') return 'is empty'
  if (name.length > longest) return `is longer than ${longest} characters`
  if (/^\.+$/.test(name)) return 'is made of dots only'
  if (!safe.test(name)) return "may hold letters, digits, single spaces and . _ - : # + & ( ) '"
  return undefined
}

/** Names are compared without case: two files that differ only in it are one agent. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** `planner-001` for `…/templates/planner-001.agent.yaml`. */
export function nameOfFile(path: string): string {
  const base = path.split(/[\\/]/).at(-1) ?? ''
  return base.replace(/\.(agent\.md|agent\.ya?ml|md|ya?ml)$/i, '')
}
