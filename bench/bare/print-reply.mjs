// The least that a program can do with a streamed reply: it writes the text to the terminal as it arrives.
import http from 'node:http'

const url = new URL(`${process.argv[2]}/chat/completions`)
const request = http.request(
  url,
  { method: 'POST', headers: { 'content-type': 'application/json' } },
  (response) => {
    let held = ''
    response.setEncoding('utf8').on('data', (text) => {
      const lines = (held + text).split('\n')
      held = lines.pop()
      for (const line of lines)
        if (line.startsWith('data: {'))
          process.stdout.write(JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '')
    })
    response.on('end', () => {
      process.stdout.write('\nTHE END\n')
      process.stdin.once('data', () => process.exit(0))
    })
  },
)
request.end(JSON.stringify({ model: 'stream', stream: true, messages: [{ role: 'user', content: 'Go.' }] }))
