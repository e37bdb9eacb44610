import { serverScript } from './server-script.spec-helpers.ts'

/** The source of an MCP server that asks several questions at the same time and answers every call with the answers to them. */
export function askingServer(...questions: readonly object[]): string {
  return serverScript({
    first: `const asked = ${JSON.stringify(questions)}; const answers = []; let call`,
    each: `if (typeof m.id === 'string' && m.id.startsWith('q') && m.method === undefined) {
      answers[Number(m.id.slice(1))] = m.result ?? m.error
      if (Object.keys(answers).length === asked.length)
        send({ id: call, result: { content: [{ type: 'text', text: JSON.stringify(answers) }] } })
      return
    }
    if (m.method === 'tools/call') {
      call = m.id
      asked.forEach((params, i) => send({ id: 'q' + i, method: 'elicitation/create', params }))
      return
    }`,
  })
}

/** A question with these fields. */
export function formQuestion(
  message: string,
  properties: object = {},
  required: readonly string[] = Object.keys(properties),
): object {
  return { mode: 'form', message, requestedSchema: { type: 'object', properties, required } }
}

export function urlQuestion(message: string, url: string): object {
  return { mode: 'url', message, url, elicitationId: 'e1' }
}
