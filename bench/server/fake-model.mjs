// A model without cost: an OpenAI-compatible server with a fixed latency, whose replies depend on the conversation
// (decide.mjs). It runs in a separate process and prints its address as the first line on stdout.
//
//    POST /v1/chat/completions   streamed or not
//    GET  /v1/models
//    POST /reset?latency=50&delegate=NAME&delegateArgs=JSON   settings for the next run; resets counters
//    POST /otlp/v1/traces, /otlp/v1/metrics   counts the bytes and answers as a collector of OpenTelemetry does
//    GET  /stats                 counters since the last reset
//    and the GitHub requests of the Copilot language server (github.mjs)
import http from 'node:http'
import { now } from '../lib/clock.mjs'
import { renderCompletion } from './completion.mjs'
import { readConversation } from './conversation.mjs'
import { decide } from './decide.mjs'
import { answerAsGitHub } from './github.mjs'

const defaults = {
  latency: process.env.FAKE_LATENCY ?? '50',
  delegate: process.env.FAKE_DELEGATE ?? 'delegate',
  delegateArgs: process.env.FAKE_DELEGATE_ARGS ?? '{"input":"task $I"}',
}
let settings = defaults
let stats = freshStats()
let cpuAtReset = process.cpuUsage()
let inFlight = 0

const server = http.createServer((request, response) => {
  // First and without parsing the URL: the only path that is requested more than once per run.
  if (request.url === '/v1/chat/completions' || request.url === '/chat/completions')
    return complete(request, response)
  const url = new URL(request.url, 'http://fake')
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /v1/models':
      return json(response, '{"object":"list","data":[{"id":"fake","object":"model","owned_by":"fake"}]}')
    case 'POST /reset':
      settings = { ...defaults, ...Object.fromEntries(url.searchParams) }
      stats = freshStats()
      cpuAtReset = process.cpuUsage()
      return json(response, '{}')
    case 'POST /otlp/v1/traces':
    case 'POST /otlp/v1/metrics':
      return collect(request, response)
    case 'GET /stats':
      return json(response, JSON.stringify({ ...stats, cpuMs: cpuSinceReset() }))
    default:
      return answerForGitHub(request, response, url)
  }
})

function answerForGitHub(request, response, { pathname }) {
  const base = `http://127.0.0.1:${server.address().port}`
  const answer = answerAsGitHub({ method: request.method, pathname, base })
  // Without this header, the language server does not accept an answer as GitHub's.
  response.setHeader('x-github-request-id', 'fake')
  request.resume()
  if (answer === undefined) response.writeHead(404).end('{}')
  else json(response, JSON.stringify(answer))
}

function collect(request, response) {
  stats.exports++
  request.on('data', (chunk) => {
    stats.exportedBytes += chunk.length
  })
  request.on('end', () => json(response, '{"partialSuccess":{}}'))
}

function complete(request, response) {
  stats.firstRequestAt ??= now()
  stats.calls++
  stats.maxConcurrency = Math.max(stats.maxConcurrency, ++inFlight)
  // Also if the client disconnects; otherwise the next run would start with a wrong count.
  response.once('close', () => inFlight--)
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    stats.bytesIn += body.length
    const conversation = readConversation(body)
    const { role, results, stream } = conversation
    if (role.kind === 'lead' && results > 0 && results !== role.size) stats.incompleteLeads++
    const answer = renderCompletion(decide(conversation, settings), { stream, promptBytes: body.length })
    const send = () => respond(response, stream ? 'text/event-stream' : 'application/json', answer)
    const latency = Number(settings.latency)
    if (latency > 0) setTimeout(send, latency)
    else send()
  })
}

const json = (response, body) => respond(response, 'application/json', body)

function respond(response, type, body) {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
}

function freshStats() {
  return {
    calls: 0,
    maxConcurrency: 0,
    firstRequestAt: undefined,
    bytesIn: 0,
    incompleteLeads: 0,
    exports: 0,
    exportedBytes: 0,
  }
}

function cpuSinceReset() {
  const { user, system } = process.cpuUsage(cpuAtReset)
  return (user + system) / 1000
}

// A slow program's idle connections must not be closed: that would measure reconnecting.
server.keepAliveTimeout = 0
server.headersTimeout = 0
server.requestTimeout = 0
server.listen({ host: '127.0.0.1', port: Number(process.env.FAKE_PORT ?? 0), backlog: 4096 }, () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})

// The runner starts this process with an IPC channel; when the runner ends, so does the server.
process.on('disconnect', () => process.exit())
