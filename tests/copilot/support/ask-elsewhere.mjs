// A process that sends one request through the Copilot SDK, until it is killed. Uses the built packages.
import { createModels } from '@cadre/backends'

process.on('SIGTERM', () => process.exit(1))
const models = createModels({ model: 'copilot-sdk:m', config: { copilot: { offline: true } } })
const found = await models.resolve(undefined)
if (found.kind === 'unknown') throw new Error(found.reason)
const request = {
  agent: 'lead',
  session: 'lead-1',
  round: 1,
  system: 'You are lead.',
  messages: [{ role: 'user', content: 'Go.' }],
  tools: [],
}
await found.model.reply(request, { text: () => {} }, new AbortController().signal)
