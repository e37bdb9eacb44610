/**
 * Converts everything that the server sends to Cadre's types, or to `undefined` if it is invalid. Other code can rely on
 * these types.
 *
 * 1. `null` counts as missing. A value of the wrong type is invalid.
 * 2. Invalid counts are omitted instead: then usage is unknown, but everything else is still usable.
 * 3. Texts for people are returned without tokens.
 */

import { hideTokens } from '../hide-tokens.ts'
import type { ProgressValue, ServerModel, ServerTool, ToolInvocation, TurnAnswer } from './wire-types.ts'

export type RedactText = (text: string) => string

type Fields = { readonly [name: string]: unknown }

class InvalidResponse extends Error {}

export function invalidResponseMessage(method: string): string {
  return `the Copilot language server sent an invalid response to ${method}.`
}

/** The version in the answer to `initialize`. */
export const readVersion = reader((value) => {
  const info = optional(fields(value).serverInfo, fields)
  return text(info?.version) ?? 'unknown'
})

export const readTools = reader((value): ServerTool[] =>
  items(value, (item) => {
    const { id, name, type } = fields(item)
    return { id: needed(text(id)), name: needed(text(name)), type: needed(text(type)) }
  }),
)

/** The models. Entries without a name cannot be requested, and are omitted. */
export const readModels = reader((value): ServerModel[] =>
  items(value, (item) => {
    const { id, scopes, isChatDefault, modelPolicy, capabilities, billing } = fields(item)
    const name = text(id)
    if (name === undefined) return []
    const { supports, limits } = optional(capabilities, fields) ?? {}
    const { maxContextWindowTokens, maxInputTokens, maxOutputTokens } = optional(limits, fields) ?? {}
    return present<ServerModel>({
      id: name,
      scopes: optional(scopes, (list) => items(list, (scope) => needed(text(scope)))),
      isChatDefault: isChatDefault === true,
      modelPolicy: optional(modelPolicy, (policy) => present({ state: text(fields(policy).state) })),
      capabilities: {
        supports: { vision: optional(supports, fields)?.vision === true },
        limits: present({
          maxContextWindowTokens: count(maxContextWindowTokens),
          maxInputTokens: count(maxInputTokens),
          maxOutputTokens: count(maxOutputTokens),
        }),
      },
      billing: present({ multiplier: amount(optional(billing, fields)?.multiplier) }),
    })
  }).flat(),
)

/** The answer to the request that started a turn. Some servers wrap it in a list. */
export const readTurnAnswer = reader((value) => {
  const { conversationId, modelName, reply, message, response } = fields([value].flat()[0])
  return present<TurnAnswer>({
    conversationId: text(conversationId),
    modelName: text(modelName),
    reply: text(reply),
    message: text(message),
    response: text(response),
  })
})

export const readCall = reader((value): ToolInvocation => {
  const { name, input, conversationId, turnId, toolCallId } = fields(value)
  return {
    name: needed(text(name)),
    input,
    conversationId: needed(text(conversationId)),
    turnId: needed(text(turnId)),
    toolCallId: needed(text(toolCallId)),
  }
})

/** The conversation and turn of a call, even if the rest is invalid. */
export const readPlace = reader((value) => {
  const { name, conversationId, turnId } = fields(value)
  return { name, conversationId: needed(text(conversationId)), turnId: needed(text(turnId)) }
})

export const readProgress = reader((value, hide) => {
  const { editAgentRounds, notifications, tokenUsage, contextSize, error, ...rest } = fields(value)
  return present<ProgressValue>({
    kind: text(rest.kind) as ProgressValue['kind'],
    conversationId: text(rest.conversationId),
    turnId: text(rest.turnId),
    parentTurnId: text(rest.parentTurnId),
    reply: text(rest.reply),
    delta: text(rest.delta),
    message: text(rest.message),
    hideText: rest.hideText === true,
    editAgentRounds: optional(editAgentRounds, (list) =>
      items(list, (item) => {
        const { roundId, reply } = fields(item)
        return present({ roundId: optional(roundId, (id) => needed(count(id))), reply: text(reply) })
      }),
    ),
    notifications: optional(notifications, (list) =>
      items(list, (item) => present({ message: optional(text(fields(item).message), hide) })),
    ),
    tokenUsage: usage(tokenUsage),
    contextSize: present({ totalUsedTokens: count(loose(contextSize).totalUsedTokens) }),
    error: optional(error, (given) => {
      const { message, code, reason, responseIsIncomplete, responseIsFiltered } = fields(given)
      return present({
        message: optional(text(message), hide),
        code: typeof code === 'number' ? code : undefined,
        reason: text(reason),
        responseIsIncomplete: responseIsIncomplete === true,
        responseIsFiltered: responseIsFiltered === true,
      })
    }),
    cancellationReason: text(rest.cancellationReason),
  })
})

/** The signed-in account, which several methods return. */
export const readStatus = reader((value) => {
  const { status, user } = fields(value)
  return present<{ readonly status?: string; readonly user?: string }>({
    status: text(status),
    user: text(user),
  })
})

/** The answer to `signIn`. */
export const readSignIn = reader((value) => {
  const { status, user, userCode, verificationUri, expiresIn } = fields(value)
  return {
    status: text(status),
    user: text(user),
    userCode: text(userCode),
    verificationUri: text(verificationUri),
    expiresIn: count(expiresIn),
  }
})

/** The answer to `auth/listAvailableTokens`. */
export const readAccounts = reader((value) =>
  items(fields(value).tokens ?? [], (item) => {
    const { tokenId, userLogin, authAuthority } = fields(item)
    return {
      id: needed(count(tokenId)),
      user: needed(text(userLogin)),
      host: needed(text(authAuthority)),
    }
  }),
)

/** The answer to `getUserInfo`, which may be empty. */
export const readUserInfo = reader((value) => {
  const { copilotPlan, rawUserInfo } = fields(value ?? {})
  const { login, chat_enabled: chat } = optional(rawUserInfo, fields) ?? {}
  return present<{ readonly user?: string; readonly plan?: string; readonly chat?: boolean }>({
    user: text(login),
    plan: text(copilotPlan),
    chat: typeof chat === 'boolean' ? chat : undefined,
  })
})

/** The answer to `conversation/modes`. */
export const readModeList = reader((value) =>
  items(value, (item) => {
    const { id, name, kind, description } = fields(item)
    return {
      id: text(id),
      name: text(name),
      kind: text(kind) ?? '',
      description: text(description) ?? '',
    }
  }),
)

function usage(value: unknown): ProgressValue['tokenUsage'] {
  const { promptTokens, completionTokens } = loose(value)
  const input = count(promptTokens)
  const output = count(completionTokens ?? 0)
  return input === undefined || output === undefined
    ? undefined
    : { promptTokens: input, completionTokens: output }
}

function reader<T>(read: (value: unknown, hide: RedactText) => T) {
  return (value: unknown, hide: RedactText = hideTokens): T | undefined => {
    try {
      return read(value, hide)
    } catch (error) {
      if (error instanceof InvalidResponse) return undefined
      throw error
    }
  }
}

function fields(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new InvalidResponse()
}

function loose(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function items<T>(value: unknown, read: (item: unknown) => T): T[] {
  if (Array.isArray(value)) return value.map((item) => read(item))
  throw new InvalidResponse()
}

function text(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw new InvalidResponse()
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? amount(value) : undefined
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function needed<T>(value: T | undefined): T {
  if (value === undefined) throw new InvalidResponse()
  return value
}

function optional<V, T>(value: V, read: (value: NonNullable<V>) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value)
}

/** Removes missing fields. */
function present<T extends object>(all: { readonly [K in keyof T]-?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as T
}
