import type { Io } from '../io.ts'
import type { Style } from './style.ts'
import type { Surface } from './surface.ts'

/** JSON lines for machines, the live tree for a terminal, plain lines for anything else. */
export async function chooseSurface(io: Io, style: Style, { json }: { json: boolean }): Promise<Surface> {
  // Standard output holds what was asked for alone; a person who pipes it away still sees what is said beside it.
  const say = (line: string) => void io.stderr.write(`${line}\n`)
  if (json) return jsonSurface(io, say)
  if (!io.stdout.isTTY || io.env['TERM'] === 'dumb') {
    const { createPlainLines } = await import('./plain-lines.ts')
    return createPlainLines((line) => void io.stdout.write(`${line}\n`), say)
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
