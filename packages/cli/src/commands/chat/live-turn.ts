import type { SessionView, View } from '@cadre/core'
import type { Style } from '../../output/style.ts'
import { treeLines } from '../../output/tree-lines.ts'
import type { TurnText } from './turn-text.ts'

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export interface LiveTurnOptions {
  readonly view: View
  readonly text: TurnText
  readonly columns: number
  /** The available number of lines. */
  readonly max: number
  readonly style: Style
  /** Grows with time. */
  readonly spin: number
}

/** The lines of a running turn: the unfinished part of the reply, and the tree. */
export function liveTurnLines({ view, text, columns, max, style, spin }: LiveTurnOptions): string[] {
  if (view.sessions.size === 0) return []
  const tree = treeLines(view, view.roots, {
    columns,
    rows: Math.max(1, Math.floor(max / 2)),
    now: Date.now(),
    style,
    working: spinner[spin % spinner.length] as string,
    about: (session) => (session.id === text.entry ? entryActivity(session) : undefined),
  })
  const tail = text.tail()
  const room = Math.max(0, max - tree.length - 1)
  const shown = tail.length <= room ? tail : tail.slice(tail.length - room)
  return [...shown, ...(shown.length > 0 ? [''] : []), ...tree]
}

/** The agent's text is already on the screen, so it is not repeated next to its name. */
function entryActivity({ state, rounds }: SessionView): string | undefined {
  const round = rounds.at(-1)
  if (state !== 'working' || round === undefined || round.toolCalls.length > 0) return undefined
  return `round ${round.roundId} · ${round.reply === '' ? 'thinking' : 'replying'}`
}
