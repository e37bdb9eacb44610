import type { Backend, BackendContext } from '../backend.ts'
import { openServerBackend } from '../http/server-backend.ts'
import { openAiKind } from '../http/server-kind.ts'
import { responsesApi } from './responses-api.ts'

/** The models of the same server as `openai:`, through the Responses API. */
export function openResponses(context: BackendContext): Promise<Backend> {
  return openServerBackend(context, {
    prefix: 'responses',
    kind: openAiKind,
    example: 'gpt-5',
    api: (id) => responsesApi({ id, reasoningEffort: context.config.openai?.reasoningEffort }),
  })
}
