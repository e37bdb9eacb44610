/** Where text goes. A reader that has gone away is no failure: what is written after that is let go, without a word. */
export interface Output {
  readonly isTTY: boolean
  /** The stream itself, for what depends on its being a terminal. */
  readonly stream: NodeJS.WriteStream
  /** False when the reader is slow: `whenReady` tells when it has caught up. */
  write(text: string): boolean
  whenReady(listener: () => void): void
  /** Resolves when everything is with the reader, or the reader is gone. */
  flushed(): Promise<void>
}

const gone = ['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED']

export function openOutput(stream: NodeJS.WriteStream): Output {
  let closed = false
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of [...listeners]) {
      listeners.delete(listener)
      listener()
    }
  }
  stream.on('drain', tell)
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!gone.includes(error.code ?? '')) throw error
    closed = true
    tell()
  })
  return {
    isTTY: stream.isTTY === true,
    stream,
    write: (text) => closed || stream.write(text),
    whenReady: (listener) => void listeners.add(listener),
    flushed() {
      if (closed) return Promise.resolve()
      return new Promise((resolve) => {
        listeners.add(resolve)
        stream.write('', () => resolve())
      })
    },
  }
}
