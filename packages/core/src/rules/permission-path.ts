import { matchesAnything, matchesWildcard } from '../vocabulary/wildcard.ts'
import type { CallSubject } from './call-subject.ts'

/** A path in the two forms that a pattern can match. Both are computed from the text, without the file system. */
interface Reading {
  /** Relative to the workspace: `src/a.ts`, `.`, `../elsewhere`. */
  readonly relative: string
  readonly absolute: string
  readonly inside: boolean
}

/**
 * The file or folder that a call uses. Patterns are relative to the workspace, or absolute. A backslash separates folders on some systems
 * and is part of the name on others: a restriction applies if either interpretation matches, and is lifted only if both match.
 */
export function pathSubject(path: string, workspace: string, real?: string): CallSubject {
  const slashed = read(path.replaceAll('\\', '/'), workspace)
  const readings =
    path.includes('\\') && !/^[a-z]:|^\\/i.test(path) ? [slashed, read(path, workspace)] : [slashed]
  // The target of its links: a rule about the target applies, whichever path leads there.
  if (real !== undefined) {
    const led = read(real.replaceAll('\\', '/'), workspace)
    if (led.absolute !== slashed.absolute) readings.push(led)
  }
  return {
    label: slashed.relative,
    matchesSome(pattern) {
      const plain = plainPattern(pattern)
      // `secrets/*` also matches the folder itself.
      return readings.some(({ relative, absolute }) =>
        [relative, `${relative}/`, absolute, `${absolute}/`].some((text) => matchesWildcard(plain, text)),
      )
    },
    matchesWhole(pattern) {
      const plain = plainPattern(pattern)
      if (matchesAnything(plain)) return true
      // A pattern matches outside the workspace only if it is absolute or starts with `..`.
      const leadsOut = /^(\/|\.\.(\/|$)|[a-z]:)/i.test(plain)
      return readings.every(
        ({ relative, absolute, inside }) =>
          (inside || leadsOut) && (matchesWildcard(plain, relative) || matchesWildcard(plain, absolute)),
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

/** A drive letter is a segment like any other, and is compared without case. */
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
