/** An output stream. If the reader has gone away, further output is silently dropped. */
export interface Output {
  readonly isTTY: boolean
  /** The stream itself, for code that depends on a terminal. */
  readonly stream: NodeJS.WriteStream
  /** Returns false if the reader is slow: `whenReady` reports when it has caught up. */
  write(text: string): boolean
  /** Like `write`, but batched with all text of this turn of the event loop. */
  writeSoon(text: string): boolean
  /** Writes the batched text now. */
  release(): void
  whenReady(listener: () => void): void
  /** Resolves when everything was written, or the reader is gone. */
  flushed(): Promise<void>
}

const closedCodes = ['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED']

export function openOutput(stream: NodeJS.WriteStream): Output {
  let closed = false
  let held = ''
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of [...listeners]) {
      listeners.delete(listener)
      listener()
    }
  }
  stream.on('drain', tell)
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!closedCodes.includes(error.code ?? '')) throw error
    closed = true
    tell()
  })
  const release = () => {
    const text = held
    held = ''
    if (text !== '' && !closed) stream.write(text)
  }
  return {
    isTTY: stream.isTTY === true,
    stream,
    write(text) {
      release()
      return closed || stream.write(text)
    },
    writeSoon(text) {
      if (held === '') setImmediate(release)
      held += text
      // So that a slow reader is noticed.
      if (held.length >= stream.writableHighWaterMark) release()
      return closed || !stream.writableNeedDrain
    },
    release,
    whenReady: (listener) => void listeners.add(listener),
    flushed() {
      release()
      if (closed) return Promise.resolve()
      return new Promise((resolve) => {
        listeners.add(resolve)
        stream.write('', () => resolve())
      })
    },
  }
}
