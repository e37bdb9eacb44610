import type { IncomingMessage, ServerResponse } from 'node:http'
import { securityHeaders } from '../guard/security-headers.ts'
import type { Hub, ReaderOptions } from './hub.ts'

/** Answers a request with the event stream, until the reader disconnects or the server ends it. */
export function openStream(
  hub: Hub,
  request: IncomingMessage,
  response: ServerResponse,
  options: ReaderOptions,
): void {
  response.writeHead(200, {
    ...securityHeaders,
    'content-type': 'text/event-stream',
    // Otherwise proxies would buffer the events.
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  })
  request.socket.setNoDelay(true)
  // The reader may disconnect between two events.
  response.on('error', () => {})
  const leave = hub.open(
    {
      write: (text) => void response.write(text),
      behind: () => response.writableLength,
      end: (text) => void response.end(text),
      destroy: () => void response.destroy(),
    },
    options,
  )
  response.once('close', leave)
}
