import http from 'node:http'
import { renderCompletion } from '../server/completion.mjs'
import { readConversation } from '../server/conversation.mjs'
import { decide } from '../server/decide.mjs'
import { now } from './clock.mjs'

/**
 * A fake model in the measuring process, for when each request counts: its arrival time is known immediately. The measured
 * program must be another process. `settings` are those of server/fake-model.mjs.
 */
export async function startListeningModel(settings = {}) {
  let arrived = () => {}
  const server = http.createServer((request, response) => {
    const at = now()
    if (request.url !== '/v1/chat/completions')
      return answer(response, 'application/json', '{"data":[{"id":"fake"}]}')
    arrived(at)
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const conversation = readConversation(body)
      const { stream } = conversation
      const reply = renderCompletion(decide(conversation, settings), { stream, promptBytes: body.length })
      answer(response, stream ? 'text/event-stream' : 'application/json', reply)
    })
  })
  server.keepAliveTimeout = 0
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `http://127.0.0.1:${server.address().port}/v1`,
    /** Resolves with the arrival time of the next request, on the clock of clock.mjs. Call it before causing the request. */
    next: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no request within 60 s')), 60_000)
        arrived = (at) => {
          clearTimeout(timer)
          arrived = () => {}
          resolve(at)
        }
      }),
  }
}

function answer(response, type, body) {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
}
