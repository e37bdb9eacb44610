import type { Backend, BackendContext } from '../backend.ts'
import { openServerBackend } from '../http/server-backend.ts'
import { anthropicKind } from '../http/server-kind.ts'
import { messagesApi } from './messages-api.ts'

/** The reply limit for a model whose limit is unknown. The server reports if that is too high. */
const defaultReplyLimit = 16_384

/** Any server with Anthropic's Messages API. */
export function openAnthropic(context: BackendContext): Promise<Backend> {
  return openServerBackend(context, {
    prefix: 'anthropic',
    kind: anthropicKind,
    example: 'claude-sonnet-4-5',
    api: (id, _endpoint, { maxOutput = defaultReplyLimit }) =>
      messagesApi({ id, maxOutput, thinkingTokens: context.config.anthropic?.thinkingTokens }),
  })
}
