/**
 * Owns the output of a chat: permanent lines, and the frame below them.
 *
 * 1. Permanent lines are printed above the frame, in order, at the latest with the next frame. Without a frame they are printed immediately.
 * 2. Pieces that arrive together are one frame.
 */
import type { Output } from '../../output/output.ts'
import { createPainter } from '../../output/painter.ts'
import type { Frame } from './chat-frame.ts'

export interface BottomLinesOptions {
  readonly stdout: Output
  readonly frame: (columns: number, rows: number) => Frame
  /** True if there is a frame. */
  readonly hasFrame: () => boolean
}

export interface BottomLines {
  readonly columns: number
  paint(): void
  paintSoon(): void
  /** Prints permanent lines. */
  print(lines: readonly string[]): void
  /** Removes the frame and prints pending lines. */
  clear(): void
  /** Lets other code print: until `resume` there is no frame, and permanent lines are kept. */
  pause(): void
  resume(): void
  /** Clears the whole screen and repaints the frame. */
  redraw(): void
  end(): void
}

/** The minimum time between two frames, in milliseconds, so that a stream of small pieces does not keep the CPU busy. */
const frameMs = 33

export function createBottomLines({ stdout, frame, hasFrame }: BottomLinesOptions): BottomLines {
  const painter = createPainter(stdout.stream, () => paint())
  const held: string[] = []
  let isPaused = false
  let due: NodeJS.Timeout | undefined
  let paintedAt = 0

  function paint(): void {
    stopWaiting()
    if (isPaused || !hasFrame()) return
    paintedAt = performance.now()
    const { lines, cursor } = frame(painter.columns, painter.rows)
    const text = takeHeld()
    if (text !== '') painter.print(text, lines, cursor)
    else painter.paint(lines, cursor)
  }

  function paintSoon(): void {
    if (due !== undefined) return
    const wait = paintedAt + frameMs - performance.now()
    due = setTimeout(paint, Math.max(0, wait))
  }

  function stopWaiting(): void {
    if (due !== undefined) clearTimeout(due)
    due = undefined
  }

  function takeHeld(): string {
    return held.length === 0 ? '' : `${held.splice(0).join('\n')}\n`
  }

  function flush(): void {
    const text = takeHeld()
    if (text !== '') stdout.write(text)
  }

  function clear(): void {
    stopWaiting()
    painter.clear()
    flush()
  }

  return {
    get columns() {
      return painter.columns
    },
    paint,
    paintSoon,
    print(lines) {
      if (lines.length === 0) return
      held.push(...lines)
      if (isPaused || hasFrame()) paintSoon()
      else flush()
    },
    clear,
    pause() {
      clear()
      isPaused = true
    },
    resume() {
      isPaused = false
      paint()
    },
    redraw() {
      painter.clear()
      stdout.write('\x1b[H\x1b[2J')
      paint()
    },
    end() {
      clear()
      painter.end()
    },
  }
}
