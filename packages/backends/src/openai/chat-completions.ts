import type { ServerApi } from '../http/server-api.ts'
import { acceptsReplyLimit, quirksAfterRejection } from './quirks-after-rejection.ts'
import { ReplyReader } from './reply-reader.ts'
import { type ChatQuirks, requestBody } from './request-body.ts'

/** OpenAI's Chat Completions API, which many other servers implement. */
export function chatCompletions(isOfficial: boolean): ServerApi<ChatQuirks> {
  return {
    path: '/chat/completions',
    // Other servers do not have this parameter, and some reject unknown ones.
    noQuirks: isOfficial ? { cacheKeys: true } : {},
    body: requestBody,
    reader: (tell, hide) => new ReplyReader(tell, hide),
    adapt: quirksAfterRejection,
    acceptsReplyLimit,
    // A limit that was too high because of the length of one request may fit the next.
    lasting: ({ isTransient, outputLimit, ...rest }) =>
      isTransient || outputLimit === undefined ? rest : { ...rest, outputLimit },
  }
}
