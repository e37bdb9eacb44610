const maxLength = 200
/**
 * Characters that end a line, move the cursor, change the text direction or are invisible: they could make one name look
 * like another.
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Cf}]/u
/** A joiner between two emoji is visible. */
const joiner = /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu

/** Returns why a name cannot be used, as the rest of "the name …"; `undefined` if it can. */
export function faultInName(name: string): string | undefined {
  if (name.trim() === '') return 'is empty'
  if (name.length > maxLength) return `is longer than ${maxLength} characters`
  if (unprintable.test(name.replaceAll(joiner, '')))
    return 'contains a line break or another character that is not printable'
  return undefined
}

/** `planner-001` for `…/templates/planner-001.agent.yaml`. */
export function agentNameFromPath(path: string): string {
  const base = path.split(/[\\/]/).at(-1) ?? ''
  return base.replace(/(?:\.(?:agent|chatmode))?\.(?:md|ya?ml)$/i, '')
}
