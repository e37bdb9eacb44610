import http from 'node:http'

/** `ask({ messages, tools })` streams one chat completion and resolves to the assistant's message. */
export function connect(base) {
  const url = new URL(`${base}/chat/completions`)
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity })

  return function ask({ messages, tools }) {
    const body = JSON.stringify({
      model: 'fake',
      messages,
      tools,
      stream: true,
      stream_options: { include_usage: true },
    })
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
        const reply = readReply()
        response.setEncoding('utf8')
        response.on('data', reply.push)
        response.on('end', () => resolve(reply.message()))
        response.on('error', reject)
      })
      request.on('error', reject)
      request.end(body)
    })
  }
}

function readReply() {
  let buffer = ''
  let content = ''
  const calls = []

  function push(chunk) {
    buffer += chunk
    let start = 0
    for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n', start)) {
      const data = buffer.slice(start + 'data: '.length, end)
      start = end + 2
      if (data !== '[DONE]') add(JSON.parse(data).choices[0]?.delta)
    }
    buffer = buffer.slice(start)
  }

  function add(delta) {
    if (!delta) return
    if (delta.content) content += delta.content
    for (const { index, id, function: part } of delta.tool_calls ?? []) {
      calls[index] ??= { id, type: 'function', function: { name: part.name, arguments: '' } }
      calls[index].function.arguments += part.arguments ?? ''
    }
  }

  function message() {
    return { role: 'assistant', content: content || null, ...(calls.length > 0 && { tool_calls: calls }) }
  }

  return { push, message }
}
