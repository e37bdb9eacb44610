const toolResult = Buffer.from('"role":"tool"')
const marker = /(LEAD n|WORKER k)=(\d+)/
// A longer system prompt would hide its marker. It only limits how much of a long conversation is searched.
const headBytes = 65_536

/**
 * What the fake model needs to know about a request, read from its bytes without parsing: parsing a long conversation for
 * every turn would make the server the slowest part. Quotes inside message texts are escaped in JSON, so the search strings
 * match structure only.
 */
export function readConversation(body) {
  return {
    role: readRole(body),
    results: count(body, toolResult),
    stream: body.includes('"stream":true'),
  }
}

/** The system prompt is the first message, and its first marker decides; a task may quote other prompts. */
function readRole(body) {
  const messages = Math.max(body.indexOf('"messages":['), 0)
  const match = marker.exec(body.latin1Slice(messages, Math.min(body.length, messages + headBytes)))
  if (!match) return { kind: 'other' }
  return { kind: match[1] === 'LEAD n' ? 'lead' : 'worker', size: Number(match[2]) }
}

function count(body, needle) {
  let found = 0
  for (let at = body.indexOf(needle); at >= 0; at = body.indexOf(needle, at + needle.length)) found++
  return found
}
