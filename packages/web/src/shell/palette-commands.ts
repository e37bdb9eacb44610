export interface PaletteCommand {
  readonly title: string
  readonly hint: string
  /** The equivalent keys. */
  readonly keys?: string
  /** The equivalent `cadre …` command. */
  readonly command?: string
  readonly run: () => void
}

/** Sorts the commands that match the typed text: every word must occur, and earlier matches come first. */
export function matchCommands(commands: readonly PaletteCommand[], typed: string): readonly PaletteCommand[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return commands
  return commands
    .map((command) => ({ command, rank: rankOf(command, words) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank)
    .map(({ command }) => command)
}

function rankOf({ title, hint, command = '' }: PaletteCommand, words: readonly string[]): number {
  const [head, rest] = [title.toLowerCase(), `${hint} ${command}`.toLowerCase()]
  let rank = 0
  for (const word of words) {
    const at = head.indexOf(word)
    if (at >= 0) rank += at === 0 ? 0 : head[at - 1] === ' ' ? 1 : 2
    else if (rest.includes(word)) rank += 10
    else return Number.POSITIVE_INFINITY
  }
  return rank
}
