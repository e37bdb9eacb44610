const toolResult = Buffer.from('"role":"tool"')
const marker = /(LEAD n|WORKER k)=(\d+)/
// A system prompt longer than this would hide its marker. It only bounds how much of a long conversation is looked at.
const headBytes = 65_536

/**
 * What the fake model must know of a request, read from its bytes without parsing them: parsing a long conversation
 * for every turn would make the server the slowest part of what is measured. Quotes inside message texts are escaped
 * in JSON, so the needles match structure only.
 */
export function readConversation(body) {
  return {
    role: readRole(body),
    results: count(body, toolResult),
    stream: body.includes('"stream":true'),
  }
}

/** The system prompt is the first message and the first marker in it decides; a task may quote other prompts. */
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
