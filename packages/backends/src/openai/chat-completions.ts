import type { ServerApi } from '../http/server-api.ts'
import { adapt, takesLimit } from './adapt.ts'
import { ReplyReader } from './reply-reader.ts'
import { type Quirks, requestBody } from './request-body.ts'

/** OpenAI's chat completions, and the many servers that have the same API. */
export function chatCompletions(isOfficial: boolean): ServerApi<Quirks> {
  return {
    path: '/chat/completions',
    // Others know no such parameter, and some refuse what they do not know.
    noQuirks: isOfficial ? { cacheKeys: true } : {},
    body: requestBody,
    reader: (tell, hide) => new ReplyReader(tell, hide),
    adapt,
    takesLimit,
    // A limit that was too high for one request, because of its length, may fit the next one.
    lasting: ({ isPassing, mostOutput, ...rest }) =>
      isPassing || mostOutput === undefined ? rest : { ...rest, mostOutput },
  }
}
