// An OpenAI-compatible server that streams the same Markdown repeatedly, `rate` tokens per second. Every token contains a
// number, so that a reader can tell when it was sent. It prints its address as the first line on stdout.
//
//    POST /v1/chat/completions
//    GET  /sent      when each token was sent, in milliseconds on the clock that all processes share
import http from 'node:http'
import { now } from '../lib/clock.mjs'
import { markdownTokens } from '../lib/markdown-tokens.mjs'

const rate = Number(process.env.STREAM_RATE ?? 200)
const count = Number(process.env.STREAM_TOKENS ?? 2000)
const sent = []

const server = http.createServer((request, response) => {
  if (request.url === '/sent') return response.end(JSON.stringify(sent))
  if (request.method === 'GET')
    return response.end('{"object":"list","data":[{"id":"stream","object":"model","owned_by":"fake"}]}')
  request.resume().on('end', () => stream(response))
})

function stream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  sent.length = 0
  const tokens = markdownTokens(count)
  const start = now()
  const timer = setInterval(() => {
    const due = Math.min(count, Math.floor(((now() - start) * rate) / 1000))
    while (sent.length < due) {
      write(response, { delta: { content: tokens[sent.length] } })
      sent.push(now())
    }
    if (sent.length < count) return
    clearInterval(timer)
    write(response, { delta: {}, finish_reason: 'stop' }, { prompt_tokens: 1200, completion_tokens: count })
    response.end('data: [DONE]\n\n')
  }, 5)
  response.on('close', () => clearInterval(timer))
}

function write(response, choice, usage) {
  const chunk = {
    id: 'x',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, ...choice }],
    ...(usage && { usage }),
  }
  response.write(`data: ${JSON.stringify(chunk)}\n\n`)
}

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/v1`))
