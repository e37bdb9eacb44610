// Strings are concatenated directly, because this is most of the server's work, thousands of times per run.
let replies = 0

/** The body of a `/v1/chat/completions` answer, as one JSON object or as server-sent events with usage at the end. */
export function renderCompletion(reply, { stream, promptBytes }) {
  const id = ++replies
  const usage = renderUsage(promptBytes)
  return stream ? renderStream(id, reply, usage) : renderObject(id, reply, usage)
}

function renderObject(id, reply, usage) {
  const message = reply.calls
    ? `{"role":"assistant","content":null,"tool_calls":[${reply.calls.map((call, i) => `{${renderCall(id, call, i)}}`)}]}`
    : `{"role":"assistant","content":${JSON.stringify(reply.text)}}`
  const choice = `{"index":0,"message":${message},"finish_reason":"${finishReason(reply)}"}`
  return `{${head(id, 'chat.completion')},"choices":[${choice}],"usage":${usage}}`
}

function renderStream(id, reply, usage) {
  const start = `data: {${head(id, 'chat.completion.chunk')},"choices":[`
  const event = (delta, finish = 'null') =>
    `${start}{"index":0,"delta":${delta},"finish_reason":${finish}}]}\n\n`
  let out = event('{"role":"assistant","content":""}')
  if (reply.calls) {
    for (const [i, call] of reply.calls.entries()) {
      out += event(`{"tool_calls":[{"index":${i},${renderCall(id, call, i)}}]}`)
    }
  } else {
    out += event(`{"content":${JSON.stringify(reply.text)}}`)
  }
  return `${out}${event('{}', `"${finishReason(reply)}"`)}${start}],"usage":${usage}}\n\ndata: [DONE]\n\n`
}

function renderCall(id, { name, args }, i) {
  return `"id":"call_${id}_${i}","type":"function","function":{"name":"${name}","arguments":${JSON.stringify(args)}}`
}

function renderUsage(promptBytes) {
  const prompt = Math.ceil(promptBytes / 4)
  return `{"prompt_tokens":${prompt},"completion_tokens":10,"total_tokens":${prompt + 10}}`
}

const head = (id, object) => `"id":"chatcmpl-${id}","object":"${object}","created":1700000000,"model":"fake"`

const finishReason = (reply) => (reply.calls ? 'tool_calls' : 'stop')
