/** One event in a `text/event-stream`. */
export interface SentEvent {
  readonly id?: string
  /** Default: `message`. */
  readonly event: string
  readonly data: string
}

/**
 * Reads a `text/event-stream`. Calls `heard` for every chunk, including comments, because only bytes distinguish a quiet stream from a lost
 * connection. Ends with the stream, and rejects if the connection is lost.
 */
export async function* readStream(
  body: ReadableStream<Uint8Array>,
  heard: () => void = () => {},
): AsyncGenerator<SentEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      heard()
      const text = rest + decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parse(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    // A failed stream cannot be cancelled, and does not need to be.
    await reader.cancel().catch(() => {})
  }
}

function parse(block: string): SentEvent | undefined {
  let id: string | undefined
  let event: string | undefined
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+):? ?(.*)$/s.exec(line) ?? []
    if (name === 'id') id = value
    else if (name === 'event') event = value
    else if (name === 'data') data.push(value)
  }
  if (event === undefined && data.length === 0) return undefined
  return { ...(id !== undefined && { id }), event: event ?? 'message', data: data.join('\n') }
}
