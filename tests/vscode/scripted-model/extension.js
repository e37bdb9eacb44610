const vscode = require('vscode')
const { serveBridge } = require('./bridge')
const { write } = require('./log')
const { registerModels } = require('./models')
const { registerProbe } = require('./probe')
const { registerTools } = require('./tools')

exports.activate = async (context) => {
  context.subscriptions.push(registerModels(), registerProbe(), ...registerTools())
  await serveBridge()
  // Somebody has to ask for the models, or chat says that there are none. Not awaited: VS Code 1.105 waits with the
  // answer until this extension is active.
  vscode.lm
    .selectChatModels({ vendor: 'scripted' })
    .then((models) =>
      write({ kind: 'activated', version: vscode.version, models: models.map(({ id }) => id) }),
    )
}
