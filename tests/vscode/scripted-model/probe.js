// A chat participant that shows the reply of the picked model and runs its tool calls: the minimum that causes a
// confirmation or a cancellation.
const vscode = require('vscode')
const { write } = require('./log')

exports.registerProbe = () => vscode.chat.createChatParticipant('scripted.probe', answer)

async function answer(request, _context, stream, token) {
  token.onCancellationRequested(() => write({ kind: 'chat-cancelled', prompt: request.prompt }))
  const offered = vscode.lm.tools
    .filter((tool) => tool.tags.includes('probe'))
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  const messages = [vscode.LanguageModelChatMessage.User(`You are the probe. ${request.prompt}`)]
  for (;;) {
    const calls = []
    const parts = []
    const reply = await request.model.sendRequest(messages, { tools: offered }, token)
    for await (const part of reply.stream) {
      parts.push(part)
      if (part instanceof vscode.LanguageModelTextPart) stream.markdown(part.value)
      if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part)
    }
    if (calls.length === 0) break
    messages.push(vscode.LanguageModelChatMessage.Assistant(parts))
    for (const call of calls) {
      const content = await settle(call, request.toolInvocationToken, token)
      messages.push(
        vscode.LanguageModelChatMessage.User([new vscode.LanguageModelToolResultPart(call.callId, content)]),
      )
    }
  }
  return { metadata: { model: request.model.id } }
}

async function settle(call, toolInvocationToken, token) {
  try {
    const { content } = await vscode.lm.invokeTool(
      call.name,
      { input: call.input, toolInvocationToken },
      token,
    )
    return content
  } catch (error) {
    write({ kind: 'tool-failed', name: call.name, error: error.name, message: error.message })
    return [new vscode.LanguageModelTextPart(`failed: ${error.message}`)]
  }
}
