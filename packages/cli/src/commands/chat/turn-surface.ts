import { applyToView, emptyView, type View } from '@cadre/core'
import type { Style } from '../../output/style.ts'
import type { Surface } from '../../output/surface.ts'
import { treeLines } from '../../output/tree-lines.ts'
import type { BottomLines } from './bottom-lines.ts'
import { liveTurnLines } from './live-turn.ts'
import { TurnText, type TurnTextOptions } from './turn-text.ts'

export interface TurnSurfaceOptions {
  readonly bottom: BottomLines
  readonly style: Style
  readonly turn: Pick<TurnTextOptions, 'workspace' | 'folded'>
  /** The turn is over, so there is no frame from now on. */
  readonly onEnd: () => void
}

export interface TurnSurface extends Surface {
  /** A hint for the status line that replaces the usual one. */
  readonly hint: string
  /** The lines of the running turn, at most `most`. */
  lines(columns: number, max: number): string[]
}

const spinnerMs = 100

/** Shows a turn: final text goes above the frame, unfinished text is part of the frame. */
export function createTurnSurface({ bottom, style, turn, onEnd }: TurnSurfaceOptions): TurnSurface {
  const view: View = emptyView()
  const text = new TurnText({ ...turn, view, style, columns: () => bottom.columns })
  let hint = ''
  let spin = 0
  const timer = setInterval(() => {
    spin += 1
    bottom.paintSoon()
  }, spinnerMs).unref()
  return {
    get hint() {
      return hint
    },
    lines: (columns, max) => liveTurnLines({ view, text, columns, max, style, spin }),
    event(event) {
      applyToView(view, event)
      bottom.print(text.event(event))
      bottom.paintSoon()
    },
    say(line, newHint) {
      if (newHint !== undefined) hint = newHint
      bottom.print([line])
    },
    pause: () => bottom.pause(),
    resume: () => bottom.resume(),
    end() {
      clearInterval(timer)
      bottom.clear()
      onEnd()
      bottom.resume()
      bottom.print(text.end())
      // If there was more than one session, the tree stays visible.
      if (view.sessions.size > 1) {
        const { columns } = bottom
        bottom.print(['', ...treeLines(view, view.roots, { columns, rows: 40, now: Date.now(), style })])
      }
    },
  }
}
