import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface OwnApis {
  /** Without a path. */
  readonly url: string
  /** The bodies of the requests that offer tools. */
  readonly asked: readonly string[]
}

/** A command that the model wants to run first, in the arguments of the program's own tool. */
export interface OwnCommand {
  readonly name: string
  readonly input: object
}

/** A model server with the APIs of Gemini and of OpenAI's responses: first the command, if there is one, then the text. */
export async function serveOwnApis(text: string, command?: OwnCommand): Promise<OwnApis> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (bytes: Buffer) => {
      body += bytes.toString('utf8')
    })
    request.on('end', () => {
      const { url = '' } = request
      const isGemini = url.includes('treamGenerateContent')
      if (request.method !== 'POST' || !(isGemini || url.endsWith('/responses'))) {
        response.writeHead(404)
        response.end('{}')
        return
      }
      asked.push(body)
      const isDone = /"functionResponse"|"function_call_output"/.test(body)
      const called = isDone ? undefined : command
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(isGemini ? geminiReply(text, called) : responsesReply(text, called))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

function geminiReply(text: string, command: OwnCommand | undefined): string {
  const part =
    command === undefined ? { text } : { functionCall: { name: command.name, args: command.input } }
  const reply = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  }
  return `data: ${JSON.stringify(reply)}\n\n`
}

function responsesReply(text: string, command: OwnCommand | undefined): string {
  const item =
    command === undefined
      ? { type: 'message', role: 'assistant', id: 'm1', content: [{ type: 'output_text', text }] }
      : {
          ...{ type: 'function_call', id: 'f1', call_id: 'c1', name: command.name },
          arguments: JSON.stringify(command.input),
        }
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
  const events = [
    { type: 'response.created', response: { id: 'r1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r1', usage } },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
