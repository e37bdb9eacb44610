import { applyToView, emptyView } from '@cadre/core'
import { createPainter, type Screen } from './painter.ts'
import type { Style } from './style.ts'
import type { Surface } from './surface.ts'
import { summaryLine, treeLines } from './tree-lines.ts'
import { truncateStyled } from './truncate-styled.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 100
/** The number of tree lines left on the screen at the end. */
const maxFinalLines = 40

/** The tree of a run at the bottom of a terminal, painted at most ten times a second. */
export function createLiveTree(screen: Screen, style: Style): Surface {
  const view = emptyView()
  let hint = 'Ctrl-C to stop'
  let paused = false
  let ended = false
  let frame = 0
  const painter = createPainter(screen, () => paint())
  const timer = setInterval(() => {
    frame += 1
    paint()
  }, frameMs).unref()
  const giveSignalsBack = handleSuspension(
    () => painter.clear(),
    () => paint(),
  )

  function linesFor(rows: number): string[] {
    const working = frames[frame % frames.length] as string
    const options = { columns: painter.columns, rows, now: Date.now(), style, working }
    return [...treeLines(view, view.roots, options), style.dim(summaryLine(view, hint))]
  }

  function paint(): void {
    if (!paused && view.sessions.size > 0) painter.paint(linesFor(painter.rows - 1))
  }

  return {
    event: (event) => applyToView(view, event),
    say(line, newHint = hint) {
      hint = newHint
      painter.print(line)
    },
    pause() {
      paused = true
      painter.clear()
    },
    resume() {
      paused = false
      paint()
    },
    end() {
      if (ended) return
      ended = true
      clearInterval(timer)
      giveSignalsBack()
      painter.clear()
      painter.end()
      hint = ''
      // The final output may scroll, so it can show more than the last frame.
      if (view.sessions.size > 0)
        screen.write(
          `${linesFor(Math.max(painter.rows, maxFinalLines))
            .map((line) => truncateStyled(line, painter.columns))
            .join('\n')}\n`,
        )
    },
  }
}

/** Ctrl-Z: restores the cursor for the shell while this process is suspended. */
function handleSuspension(leave: () => void, comeBack: () => void): () => void {
  if (process.platform === 'win32') return () => {}
  const suspend = () => {
    leave()
    process.kill(process.pid, 'SIGSTOP')
  }
  process.on('SIGTSTP', suspend)
  process.on('SIGCONT', comeBack)
  return () => {
    process.off('SIGTSTP', suspend)
    process.off('SIGCONT', comeBack)
  }
}
