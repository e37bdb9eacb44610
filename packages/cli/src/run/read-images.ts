import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError, type Image, sentenceOf } from '@cadre/core'
import type { Io } from '../io.ts'

const maxBytes = 10_000_000

/** Detected from the first bytes: a file extension can be wrong, and a model rejects an image with the wrong type. */
const kinds: readonly (readonly [mime: string, test: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from('\xff\xd8\xff', 'latin1'))],
  ['image/gif', (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => /^RIFF....WEBP/s.test(bytes.toString('latin1', 0, 12))],
]

export function readImages(io: Io, files: readonly string[]): Image[] {
  return files.map((name) => {
    const file = path.resolve(io.cwd, name)
    const bytes = readBytes(file)
    const mime = kinds.find(([, test]) => test(bytes))?.[0]
    if (mime === undefined)
      throw new CadreError('usage', 'not a PNG, JPEG, GIF or WebP image.', { where: file })
    if (bytes.length > maxBytes)
      throw new CadreError('usage', 'the image is larger than 10 MB. Use a smaller one.', { where: file })
    return { mime, data: bytes.toString('base64') }
  })
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new CadreError('usage', `cannot read the image: ${sentenceOf(error)}`, {
      where: file,
      cause: error,
    })
  }
}
