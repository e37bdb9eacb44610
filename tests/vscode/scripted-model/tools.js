const vscode = require('vscode')
const { write } = require('./log')

exports.registerTools = () => [
  register('probe_echo', async ({ input }) => result(`echo: ${input.text}`)),
  register('probe_danger', async ({ input }) => result(`danger: ${input.text}`), {
    title: 'Do the dangerous thing?',
    message: new vscode.MarkdownString('Really **do** it?'),
  }),
  register('probe_fail', async () => {
    throw new Error('probe_fail fails')
  }),
  register('probe_slow', async (_options, token) => {
    await new Promise((resolve) => {
      if (token.isCancellationRequested) resolve()
      token.onCancellationRequested(resolve)
    })
    write({ kind: 'tool-cancelled', name: 'probe_slow' })
    throw new vscode.CancellationError()
  }),
]

function register(name, invoke, confirmationMessages) {
  return vscode.lm.registerTool(name, {
    prepareInvocation: () => ({ invocationMessage: `Running ${name}`, confirmationMessages }),
    invoke(options, token) {
      write({ kind: 'tool', name, input: options.input, inChat: options.toolInvocationToken !== undefined })
      return invoke(options, token)
    },
  })
}

function result(text) {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)])
}
