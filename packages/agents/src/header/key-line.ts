import { isKnownKey, plainKey, restrictionOf } from './known-keys.ts'

/** A line that begins with a key. */
export interface KeyLine {
  readonly indent: string
  /** As it is written, without quotes. */
  readonly written: string
  /** As keys are compared. */
  readonly plain: string
  /** What stands behind the colon. */
  readonly rest: string
}

/** Quotes of all kinds, and spaces that nobody sees, may stand around a key. */
const pattern =
  /^([ \t]*)[\u00a0\u200b\ufeff]*["'“”‘’]?([A-Za-z_][\w-]*)["'“”‘’]?[ \t\u00a0\u200b\ufeff]*[:：](.*)$/su

/** Behind a key comes a space, the end of the line, or something that cannot be a part of the same word. */
export function keyLineOf(line: string): KeyLine | undefined {
  const match = pattern.exec(line)
  if (match === null) return undefined
  const [, indent = '', written = '', rest = ''] = match
  const plain = plainKey(written)
  if (!/^(?:$|[\s[{"'*“‘])/.test(rest) && restrictionOf(plain) === undefined) return undefined
  return { indent, written, plain, rest }
}

export function isKnownKeyLine(line: string | undefined): boolean {
  const key = line === undefined ? undefined : keyLineOf(line)
  return key !== undefined && isKnownKey(key.plain)
}

export function isBlank(line: string): boolean {
  return line.trim() === ''
}

export function isComment(line: string): boolean {
  return /^[ \t]*#/.test(line)
}

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}
