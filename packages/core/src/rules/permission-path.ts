import { fitsWildcard, isEverything } from '../vocabulary/wildcard.ts'
import type { Subject } from './permission-subject.ts'

/** A path in the two ways a pattern can name it. Both are put together from its letters: no file system is asked. */
interface Reading {
  /** Relative to the workspace: `src/a.ts`, `.`, `../elsewhere`. */
  readonly relative: string
  readonly absolute: string
  readonly inside: boolean
}

/**
 * A file or folder that a call is about. Patterns are relative to the workspace, or absolute. A backslash parts folders,
 * but on some systems it is a letter: a restriction holds for both readings, and is taken back only for both.
 */
export function pathSubject(path: string, workspace: string, real?: string): Subject {
  const slashed = read(path.replaceAll('\\', '/'), workspace)
  const readings =
    path.includes('\\') && !/^[a-z]:|^\\/i.test(path) ? [slashed, read(path, workspace)] : [slashed]
  // Where its links lead: a rule about that place holds, however it was reached.
  if (real !== undefined) {
    const led = read(real.replaceAll('\\', '/'), workspace)
    if (led.absolute !== slashed.absolute) readings.push(led)
  }
  return {
    label: slashed.relative,
    fitsSome(pattern) {
      const plain = plainPattern(pattern)
      // `secrets/*` is also about the folder itself.
      return readings.some(({ relative, absolute }) =>
        [relative, `${relative}/`, absolute, `${absolute}/`].some((text) => fitsWildcard(plain, text)),
      )
    },
    fitsWhole(pattern) {
      const plain = plainPattern(pattern)
      if (isEverything(plain)) return true
      // A pattern that does not say so itself does not lead out of the workspace.
      const leadsOut = /^(\/|\.\.(\/|$)|[a-z]:)/i.test(plain)
      return readings.every(
        ({ relative, absolute, inside }) =>
          (inside || leadsOut) && (fitsWildcard(plain, relative) || fitsWildcard(plain, absolute)),
      )
    },
  }
}

/** `./src/` is `src/*`. */
function plainPattern(pattern: string): string {
  const slashed = pattern
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(\.\/+)+/, '')
  return slashed.endsWith('/') ? `${slashed}*` : slashed
}

function read(path: string, workspace: string): Reading {
  const home = segments(workspace.replaceAll('\\', '/'))
  const full = isAbsolute(path) ? segments(path) : resolve([...home, ...split(path)])
  let shared = 0
  while (shared < home.length && shared < full.length && home[shared] === full[shared]) shared += 1
  const inside = shared === home.length
  const relative = [...home.slice(shared).map(() => '..'), ...full.slice(shared)].join('/')
  return { relative: relative === '' ? '.' : relative, absolute: written(full), inside }
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[a-z]:/i.test(path)
}

function segments(absolute: string): string[] {
  return resolve(split(absolute))
}

/** A drive is a segment like any other, and the same in capitals. */
function split(path: string): string[] {
  return path.replace(/^[a-z]:/i, (drive) => `${drive.toLowerCase()}/`).split('/')
}

function resolve(parts: readonly string[]): string[] {
  const out: string[] = []
  for (const part of parts) {
    if (part === '..') out.pop()
    else if (part !== '' && part !== '.') out.push(part)
  }
  return out
}

function written(parts: readonly string[]): string {
  return /^[a-z]:$/.test(parts[0] ?? '') ? parts.join('/') : `/${parts.join('/')}`
}
