const vscode = require('vscode')
const { serveBridge } = require('./bridge')
const { write } = require('./log')
const { registerModels } = require('./models')
const { registerProbe } = require('./probe')
const { registerTools } = require('./tools')

exports.activate = async (context) => {
  context.subscriptions.push(registerModels(), registerProbe(), ...registerTools())
  // Without it nobody asks for the models, and chat says that there is none.
  const models = await vscode.lm.selectChatModels({ vendor: 'scripted' })
  await serveBridge()
  write({ kind: 'activated', version: vscode.version, models: models.map((model) => model.id) })
}
