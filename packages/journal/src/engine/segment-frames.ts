import { crc32 } from 'node:zlib'
import type { ProcessIdentity } from '@cadre/disk'

/**
 * The format of a write-ahead segment: a first line that names its process, then frames. A frame is a line followed by bytes of the session
 * file, so people can read segments too.
 */
export type FrameKind =
  /** The session's file is written at `offset` from here on. Earlier frames no longer apply. */
  | 'opened'
  /** Bytes appended at `offset`. */
  | 'append'
  /** Bytes of the header, rewritten at `offset`. */
  | 'stamp'
  /** The file was edited or rewritten. These are all of its bytes. */
  | 'file.adopted'
  /** The file is synced, so earlier frames are not needed. */
  | 'released'

export interface Frame {
  readonly kind: FrameKind
  readonly session: string
  readonly offset: number
  readonly bytes: Buffer
}

const first = 'cadre-segment 1 '
const none = Buffer.alloc(0)

export function encodeOwner(process: ProcessIdentity): Buffer {
  return Buffer.from(`${first}${JSON.stringify(process)}\n`)
}

export function encodeFrame(kind: FrameKind, session: string, offset: number, bytes: Buffer = none): Buffer {
  const about = `${kind} ${encodeURIComponent(session)} ${offset} ${bytes.length}`
  return Buffer.from(`# ${about} ${checksum(about, bytes)}\n`, 'latin1')
}

/** Returns all complete frames. `process` is absent if the first line is incomplete. */
export function decodeSegment(segment: Buffer): { process?: ProcessIdentity; frames: Frame[] } {
  const frames: Frame[] = []
  let end = segment.indexOf(10)
  const process = end < 0 ? undefined : ownerOf(segment.toString('utf8', 0, end))
  if (process === undefined) return { frames }
  for (let at = end + 1; at < segment.length; ) {
    end = segment.indexOf(10, at)
    if (end < 0) break
    const [mark, kind, name, offset, length, sum] = segment.toString('latin1', at, end).split(' ')
    at = end + 1 + Number(length)
    const bytes = segment.subarray(end + 1, at)
    if (mark !== '#' || name === undefined || bytes.length !== Number(length)) break
    if (checksum(`${kind} ${name} ${offset} ${length}`, bytes) !== sum) break
    frames.push({ kind: kind as FrameKind, session: decodeURIComponent(name), offset: Number(offset), bytes })
  }
  return { process, frames }
}

function checksum(about: string, bytes: Buffer): string {
  return crc32(bytes, crc32(about)).toString(16)
}

function ownerOf(line: string): ProcessIdentity | undefined {
  if (!line.startsWith(first)) return undefined
  try {
    return JSON.parse(line.slice(first.length))
  } catch {
    return undefined
  }
}
