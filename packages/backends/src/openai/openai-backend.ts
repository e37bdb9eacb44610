import type { Backend, BackendContext } from '../backend.ts'
import { openServerBackend } from '../http/server-backend.ts'
import { openAiKind } from '../http/server-kind.ts'
import { chatCompletions } from './chat-completions.ts'

/** Any server with the Chat Completions API. */
export function openOpenAi(context: BackendContext): Promise<Backend> {
  return openServerBackend(context, {
    prefix: 'openai',
    kind: openAiKind,
    example: 'gpt-5',
    api: (_id, { isOfficial }) => chatCompletions(isOfficial),
  })
}
