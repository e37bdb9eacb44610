import { fileURLToPath } from 'node:url'
import { measureChat } from '../lib/chat-work.mjs'

await measureChat({
  argv: (url) => [fileURLToPath(new URL('print-reply.mjs', import.meta.url)), url],
  isOver: (screen) => screen.includes('THE END'),
  leave: '\n',
})
