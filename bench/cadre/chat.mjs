import { fileURLToPath } from 'node:url'
import { measureChat } from '../lib/chat-work.mjs'

const command = fileURLToPath(new URL('../../packages/cli/bin/cadre.js', import.meta.url))
await measureChat({
  argv: () => [command, 'chat', '--agent', 'assistant', '--model', 'openai:stream'],
  isReady: (screen) => /openai:stream.*\/help/.test(screen),
  ask: 'Go.\r',
  isOver: (screen) => /completed.* tokens.*\/help/s.test(screen),
  leave: '\x04',
})
