const longest = 200
/** Signs that end a line, move the cursor, turn the direction of writing or are not seen at all: they could make one name look like another. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Cf}]/u
/** What joins two pictures to one is seen. */
const joiner = /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu

/** Why a name cannot be used, in words that follow "the name …"; `undefined` when it can. */
export function faultInName(name: string): string | undefined {
  if (name.trim() === '') return 'is empty'
  if (name.length > longest) return `is longer than ${longest} characters`
  if (unprintable.test(name.replaceAll(joiner, '')))
    return 'contains a line break or another character that is not printable'
  return undefined
}

/** `planner-001` for `…/templates/planner-001.agent.yaml`. */
export function nameOfFile(path: string): string {
  const base = path.split(/[\\/]/).at(-1) ?? ''
  return base.replace(/(?:\.(?:agent|chatmode))?\.(?:md|ya?ml)$/i, '')
}
