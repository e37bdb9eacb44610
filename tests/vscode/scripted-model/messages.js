const vscode = require('vscode')

const roles = { 1: 'user', 2: 'assistant', 3: 'system' }

/** A message of the API as plain data. */
exports.readMessage = (message) => ({
  role: roles[message.role] ?? String(message.role),
  ...(message.name && { name: message.name }),
  parts: [...message.content].map(readPart),
})

function readPart(part) {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: 'text', text: part.value }
  if (part instanceof vscode.LanguageModelToolCallPart) {
    return { kind: 'call', callId: part.callId, name: part.name, input: part.input }
  }
  if (part instanceof vscode.LanguageModelToolResultPart) {
    const text = part.content.map((item) => item?.value ?? '').join('')
    return { kind: 'result', callId: part.callId, text }
  }
  if (part instanceof vscode.LanguageModelDataPart) return { kind: 'data', mimeType: part.mimeType }
  return { kind: part?.constructor?.name ?? typeof part }
}
