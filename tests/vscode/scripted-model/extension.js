const vscode = require('vscode')
const { serveBridge } = require('./bridge')
const { write } = require('./log')
const { registerModels } = require('./models')
const { registerProbe } = require('./probe')
const { registerTools } = require('./tools')

exports.activate = async (context) => {
  context.subscriptions.push(registerModels(), registerProbe(), ...registerTools())
  await serveBridge()
  // The models must be requested, or chat reports that there are none. Not awaited: VS Code 1.105 answers only when this
  // extension is active.
  vscode.lm
    .selectChatModels({ vendor: 'scripted' })
    .then((models) =>
      write({ kind: 'activated', version: vscode.version, models: models.map(({ id }) => id) }),
    )
}
