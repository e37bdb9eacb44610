// Makes a screenshot small: at most 256 colours, which is enough for a page without photographs.
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])

/** Returns the same picture with a palette. Takes PNGs as Chromium writes them: 8 bits, RGB or RGBA, not interlaced. */
export function smallPng(bytes) {
  const { width, height, pixels } = readPixels(bytes)
  const { palette, indexes } = chooseColours(pixels)
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y++) indexes.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function readPixels(bytes) {
  let at = signature.length
  const data = []
  let width = 0
  let height = 0
  let channels = 0
  while (at < bytes.length) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const body = bytes.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') {
      width = body.readUInt32BE(0)
      height = body.readUInt32BE(4)
      channels = { 2: 3, 6: 4 }[body[9]]
      if (body[8] !== 8 || channels === undefined || body[12] !== 0)
        throw new Error('This PNG has another format.')
    } else if (type === 'IDAT') data.push(body)
    at += length + 12
  }
  const raw = inflateSync(Buffer.concat(data))
  const stride = width * channels
  const pixels = new Uint32Array(width * height)
  let above = Buffer.alloc(stride)
  for (let y = 0; y < height; y++) {
    const row = raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1))
    undoFilter(raw[y * (stride + 1)], row, above, channels)
    for (let x = 0; x < width; x++) {
      const i = x * channels
      pixels[y * width + x] = (row[i] << 16) | (row[i + 1] << 8) | row[i + 2]
    }
    above = row
  }
  return { width, height, pixels }
}

function undoFilter(filter, row, above, channels) {
  for (let i = 0; i < row.length; i++) {
    const left = i < channels ? 0 : row[i - channels]
    const corner = i < channels ? 0 : above[i - channels]
    const up = above[i]
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]
    row[i] = (row[i] + guess) & 255
  }
}

function paeth(left, up, corner) {
  const estimate = left + up - corner
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(estimate - value))
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

/** The most frequent colours; every other one becomes the nearest of them. */
function chooseColours(pixels) {
  const counts = new Map()
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const byCount = [...counts].sort(([a, many], [b, more]) => more - many || a - b).map(([colour]) => colour)
  const palette = byCount.slice(0, 256)
  const indexOf = new Map(palette.map((colour, index) => [colour, index]))
  for (const colour of byCount.slice(256)) indexOf.set(colour, nearest(palette, colour))
  const indexes = Buffer.alloc(pixels.length)
  for (let i = 0; i < pixels.length; i++) indexes[i] = indexOf.get(pixels[i])
  return { palette, indexes }
}

function nearest(palette, colour) {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  palette.forEach((one, index) => {
    const distance = [16, 8, 0].reduce(
      (sum, shift) => sum + (((one >> shift) & 255) - ((colour >> shift) & 255)) ** 2,
      0,
    )
    if (distance < least) [least, best] = [distance, index]
  })
  return best
}

function chunk(type, body) {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const result = Buffer.alloc(body.length + 12)
  result.writeUInt32BE(body.length, 0)
  named.copy(result, 4)
  result.writeUInt32BE(crc32(named), body.length + 8)
  return result
}
