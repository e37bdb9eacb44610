import { isKnownKey, plainKey, restrictionOf } from './known-keys.ts'

/** A line that starts with a key. */
export interface KeyLine {
  readonly indent: string
  /** As written, without quotes. */
  readonly written: string
  /** Normalized for comparison. */
  readonly plain: string
  /** The text after the colon. */
  readonly rest: string
}

/** A key can be surrounded by any kind of quotes, and by invisible spaces. */
const pattern =
  /^([ \t]*)[\u00a0\u200b\ufeff]*["'“”‘’]?([A-Za-z_][\w-]*)["'“”‘’]?[ \t\u00a0\u200b\ufeff]*[:：](.*)$/su

/** A key is followed by a space, the end of the line, or a character that cannot be part of the same word. */
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
