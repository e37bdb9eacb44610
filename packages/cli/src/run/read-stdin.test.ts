import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { readStdin, type StdinOptions } from './read-stdin.ts'

const pipe = () => new PassThrough()
const read = (stream: PassThrough, options?: StdinOptions) =>
  readStdin(stream as unknown as NodeJS.ReadStream, options)

/** Timers of equal length fire in order, so the silence of an earlier read is over then. */
const silence = 1
const afterSilence = () => new Promise((resolve) => setTimeout(resolve, silence))

it('reads nothing from a terminal', async () => {
  const stream = Object.assign(pipe(), { isTTY: true })
  stream.end('typed')
  expect(await read(stream)).toEqual({ kind: 'none' })
  expect(stream.read()?.toString()).toBe('typed')
})

it.each(['', ' \n'])('treats empty input as none: %j', async (text) => {
  const stream = pipe()
  stream.end(text)
  expect(await read(stream)).toEqual({ kind: 'none' })
})

it('reads to the end once a byte arrived, however long that takes', async () => {
  const stream = pipe()
  stream.write('a')
  const reading = read(stream, { silence })
  await afterSilence()
  stream.end('b')
  expect(await reading).toEqual({ kind: 'text', text: 'ab', isCut: false })
})

it('continues without an open, silent pipe, and reports later data', async () => {
  const stream = pipe()
  const input = await read(stream, { silence })
  if (input.kind !== 'silent') throw new Error(input.kind)
  stream.write('late')
  await input.late
})

it('waits for the end if requested', async () => {
  const stream = pipe()
  const reading = read(stream, { silence, waits: true })
  await afterSilence()
  stream.end('slow')
  expect(await reading).toMatchObject({ text: 'slow' })
})

it('cuts long input at a whole character, and reads the rest so that the writer can finish', async () => {
  const stream = pipe()
  stream.write('aé')
  const reading = read(stream, { max: 2 })
  expect(await reading).toEqual({ kind: 'text', text: 'a', isCut: true })
  stream.end('x'.repeat(1_000_000))
  await new Promise((resolve) => stream.on('end', resolve))
})

it('rejects binary and unreadable input', async () => {
  const binary = pipe()
  binary.end(Buffer.from([0x89, 0x50, 0, 1]))
  await expect(read(binary)).rejects.toThrow('standard input is binary')
  const broken = pipe()
  const reading = read(broken)
  broken.destroy(new Error('EISDIR: illegal operation on a directory, read'))
  await expect(reading).rejects.toThrow('cannot read standard input: EISDIR')
})
