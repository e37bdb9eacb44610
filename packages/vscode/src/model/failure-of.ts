import type { ReplyFailure } from '@cadre/core'

interface Row {
  readonly fits: RegExp
  readonly code: ReplyFailure['code']
  /** What is wrong, followed by the service's message. */
  readonly says: string
  readonly does: string
  readonly tooLong?: true
}

/** By the code of a `LanguageModelError`. */
const byCode: Readonly<Record<string, Omit<Row, 'fits'>>> = {
  NotFound: {
    code: 'unknown_model',
    says: 'is no longer available',
    does: 'Pick another model in the chat.',
  },
  NoPermissions: {
    code: 'backend',
    says: 'may not be used by this extension',
    does: 'Allow it when VS Code asks, or with "Manage Language Model Access" in the Accounts menu.',
  },
  Blocked: {
    code: 'backend',
    says: 'refused the request',
    does: 'Your quota may be used up, or your organisation blocks it. Wait, or pick another model.',
  },
}

/** By the service's message. */
const byText: readonly Row[] = [
  {
    fits: /context.{0,20}(length|window|limit)|too long|too many tokens|token limit|exceeds?.{0,30}tokens|max.{0,20}tokens/i,
    code: 'backend',
    says: 'does not accept a request this long',
    does: 'Shorten the request, or start a new chat.',
    tooLong: true,
  },
  {
    fits: /tools?.{0,30}not (be )?support|not support.{0,30}tool|tool.?call.{0,30}unsupported/i,
    code: 'tools_unsupported',
    says: 'does not support tools',
    does: 'Pick a model that supports tools.',
  },
  {
    fits: /quota|rate.?limit|too many requests|\b429\b|premium requests?/i,
    code: 'backend',
    says: 'has no quota left',
    does: 'Wait, or pick another model.',
  },
  {
    fits: /off.?topic|filter|responsible ai|content policy|safety/i,
    code: 'backend',
    says: 'did not answer, because a content filter stopped the reply',
    does: 'Rephrase the request.',
  },
  {
    fits: /network|offline|ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|fetch failed|socket|disconnected/i,
    code: 'backend',
    says: 'cannot be reached',
    does: 'Check your connection, then try again.',
  },
  { fits: /time.?out|timed out/i, code: 'timeout', says: 'did not answer in time', does: 'Try again.' },
]

const unknown: Omit<Row, 'fits'> = {
  code: 'backend',
  says: 'failed',
  does: 'Try again, or pick another model.',
}

/** Explains why a model of VS Code gave no reply. */
export function failureOf(error: unknown, model: string): ReplyFailure {
  const said = messagesOf(error)
  const text = said.join(' ')
  const code = codeOf(error)
  const found = byCode[code] ?? byText.find(({ fits }) => fits.test(text)) ?? unknown
  const why = said.length === 0 ? '' : ` (${said.join(': ')})`
  return {
    kind: 'failed',
    code: found.code,
    message: `The model ${model} ${found.says}${why}. ${found.does}`,
    ...(found.tooLong && { tooLong: true }),
  }
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/** The messages of an error and its causes, each once, in one line. */
function messagesOf(error: unknown): string[] {
  const said: string[] = []
  for (let at: unknown = error, depth = 0; at !== undefined && at !== null && depth < 4; depth++) {
    const message = at instanceof Error ? at.message : typeof at === 'string' ? at : ''
    const line = message.replace(/\s+/g, ' ').trim().replace(/\.$/, '').slice(0, 300)
    if (line !== '' && !said.some((one) => one.includes(line))) said.push(line)
    at = at instanceof Error ? at.cause : undefined
  }
  return said
}
