import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { ownerOnly, writeFully } from '@cadre/disk'
import type { Frame } from './segment-frames.ts'

/** The content of one session file according to the segments of one process, from `base` on. */
export interface FileImage {
  readonly base: number
  readonly parts: Buffer[]
  /** Rewritten parts of the header, by offset. */
  readonly stamps: Map<number, Buffer>
}

/** Folds frames, in write order, into the expected content of each file. Synced files have no image. */
export function fileImages(frames: readonly Frame[]): Map<string, FileImage> {
  const images = new Map<string, FileImage>()
  const begin = (session: string, base: number, ...parts: Buffer[]): FileImage => {
    const image = { base, parts, stamps: new Map<number, Buffer>() }
    images.set(session, image)
    return image
  }
  for (const { kind, session, offset, bytes } of frames) {
    const image = images.get(session)
    if (kind === 'released') images.delete(session)
    else if (kind === 'file.adopted') begin(session, 0, bytes)
    else if (kind === 'opened') begin(session, offset)
    else if (kind === 'stamp') (image ?? begin(session, 0)).stamps.set(offset, bytes)
    else if (image !== undefined && image.parts.length > 0 && offset !== endOf(image))
      begin(session, offset, bytes)
    else if (image === undefined || image.parts.length === 0) copyStamps(begin(session, offset, bytes), image)
    else image.parts.push(bytes)
  }
  return images
}

/** `kept`: the file has other content, so it was not changed. The written entries are kept in a file beside it. */
export type Replayed = { kind: 'whole' } | { kind: 'replayed' } | { kind: 'kept'; beside: string }

/**
 * Restores the content of a file from before a power loss. Writes only missing bytes: where the file differs, a person edited it, and the
 * edit is kept.
 */
export function replaySegments(path: string, image: FileImage): Replayed {
  const isThere = existsSync(path)
  const found = isThere ? readFileSync(path) : Buffer.alloc(0)
  const wanted = Buffer.concat(image.parts)
  if (!isPrefix(found, wanted, image)) {
    if (wanted.length === 0) return { kind: 'whole' }
    const beside = `${path}.unreplayed`
    writeFileSync(beside, wanted, { flag: 'a', flush: true, mode: ownerOnly })
    return { kind: 'kept', beside }
  }
  const end = image.base + wanted.length
  const rest = found.subarray(end)
  const whole = Buffer.concat([
    found.subarray(0, image.base),
    wanted,
    rest.every(isZero) ? Buffer.alloc(0) : rest,
  ])
  for (const [at, bytes] of image.stamps) if (isPlaceOf(bytes, whole, at)) bytes.copy(whole, at)
  if (whole.equals(found)) return { kind: 'whole' }
  const file = openSync(path, isThere ? 'r+' : 'wx', ownerOnly)
  try {
    writeFully(file, whole, 0)
    ftruncateSync(file, whole.length)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return { kind: 'replayed' }
}

/** Returns whether the file is a prefix of the written content. A zero is a byte that did not reach the disk. */
function isPrefix(found: Buffer, wanted: Buffer, image: FileImage): boolean {
  if (found.length < image.base) return false
  const length = Math.min(found.length - image.base, wanted.length)
  for (let index = 0; index < length; index++) {
    const byte = found[image.base + index]
    if (byte !== wanted[index] && byte !== 0 && !isStamped(image, image.base + index)) return false
  }
  return true
}

function isStamped(image: FileImage, at: number): boolean {
  for (const [start, bytes] of image.stamps) if (at >= start && at < start + bytes.length) return true
  return false
}

/** A stamp is written only over a field with the same name. */
function isPlaceOf(stamp: Buffer, whole: Buffer, at: number): boolean {
  const name = stamp.indexOf(':') + 1
  return whole.length >= at + stamp.length && whole.subarray(at, at + name).equals(stamp.subarray(0, name))
}

function isZero(byte: number): boolean {
  return byte === 0
}

function endOf(image: FileImage): number {
  return image.parts.reduce((sum, part) => sum + part.length, image.base)
}

function copyStamps(image: FileImage, from: FileImage | undefined): void {
  for (const [at, bytes] of from?.stamps ?? []) image.stamps.set(at, bytes)
}
