const vscode = require('vscode')

exports.activate = (context) => {
  const answer = async (request, _context, stream, token) => {
    const messages = [vscode.LanguageModelChatMessage.User(request.prompt)]
    const reply = await request.model.sendRequest(messages, {}, token)
    for await (const text of reply.text) stream.markdown(text)
  }
  context.subscriptions.push(vscode.chat.createChatParticipant('scripted.default', answer))
}
