import type { Io } from '../io.ts'
import type { Style } from './style.ts'
import type { Surface } from './surface.ts'

/** The flags that decide what a person sees during a run. Every command that runs sessions passes its own flags. */
export interface SurfaceOptions {
  readonly json?: boolean | undefined
  /** No progress. */
  readonly quiet?: boolean | undefined
}

/**
 * JSON lines for programs, the live tree for a terminal, plain lines otherwise. Standard output contains only the requested
 * output: plain lines go to standard error, where they stay visible if the answer is redirected.
 */
export async function chooseSurface(
  io: Io,
  style: Style,
  { json = false, quiet = false }: SurfaceOptions,
): Promise<Surface> {
  const say = (line: string) => void io.stderr.write(`${line}\n`)
  if (json) return jsonSurface(io, say)
  if (quiet) return { event() {}, say, pause() {}, resume() {}, end() {} }
  if (!io.stdout.isTTY || io.env['TERM'] === 'dumb') {
    const { createPlainLines } = await import('./plain-lines.ts')
    return createPlainLines(say, say)
  }
  const { createLiveTree } = await import('./live-tree.ts')
  return createLiveTree(io.stdout.stream, style)
}

async function jsonSurface(io: Io, say: (line: string) => void): Promise<Surface> {
  const { createJsonLines } = await import('./json-lines.ts')
  const lines = createJsonLines(io.stdout)
  return {
    event: (event) => lines.event(event),
    say,
    pause() {},
    resume() {},
    end: () => lines.flush(),
  }
}
