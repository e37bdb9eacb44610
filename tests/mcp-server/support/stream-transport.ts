import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** The client's end of a stdio connection: one JSON message per line. */
export function streamTransport(input: Readable, output: Writable): Transport {
  let rest = ''
  const transport: Transport = {
    async start() {
      input.setEncoding('utf8')
      input.on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) if (line !== '') transport.onmessage?.(JSON.parse(line) as JSONRPCMessage)
      })
      input.on('end', () => transport.onclose?.())
      output.on('error', () => {})
    },
    async send(message) {
      output.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      output.end()
      transport.onclose?.()
    },
  }
  return transport
}
