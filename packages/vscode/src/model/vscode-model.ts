import type { Image, Model, ModelRequest, Reply, ReplyFailure, ReplyHooks, WireCall } from '@cadre/core'
import * as vscode from 'vscode'
import { tokenOf } from '../run/token-of.ts'
import { failureOf } from './failure-of.ts'
import { type PlainMessage, type PlainPart, plainMessages } from './plain-messages.ts'
import { wireNames } from './wire-names.ts'

const justification = 'The agents that you started use this model.'

export interface VscodeModelOptions {
  /** Its name in the session: as in the agent's file, or `vendor/id`. */
  readonly id: string
  /** Set if this is not the model that the agent requested. */
  readonly warning?: string | undefined
}

/** A model of VS Code as a model of the engine. Never rejects. */
export function vscodeModel(chat: vscode.LanguageModelChat, { id, warning }: VscodeModelOptions): Model {
  const { images, tools } = capabilitiesOf(chat)
  return {
    id,
    ...(chat.maxInputTokens > 0 && { window: chat.maxInputTokens }),
    ...(!tools && { supportsTools: false as const }),
    async reply(request, hooks, signal) {
      // For an entry session, the caller shows the warning; for others, it is shown here.
      if (warning !== undefined && request.parent !== undefined && request.round === 1)
        hooks.notice?.('model', warning)
      try {
        return await ask(chat, request, { hooks, images }, signal)
      } catch (error) {
        if (signal.aborted) return { kind: 'failed', code: 'cancelled', message: 'cancelled' }
        return failureOf(error, chat.name || chat.id)
      }
    },
  }
}

async function ask(
  chat: vscode.LanguageModelChat,
  request: ModelRequest,
  { hooks, images }: { readonly hooks: ReplyHooks; readonly images: boolean },
  signal: AbortSignal,
): Promise<Reply | ReplyFailure> {
  const names = wireNames(request.tools.map(({ name }) => name))
  const messages = plainMessages(request, names.toWire).map((message) => toMessage(message, images))
  const tools = request.tools.map(({ name, description, parameters }) => ({
    name: names.toWire(name),
    description,
    inputSchema: parameters,
  }))
  const cancel = tokenOf(signal)
  try {
    const options = { justification, ...(tools.length > 0 && { tools }) }
    const response = await chat.sendRequest(messages, options, cancel.token)
    let text = ''
    const calls: WireCall[] = []
    for await (const part of response.stream) {
      if (part instanceof vscode.LanguageModelTextPart) {
        text += part.value
        if (part.value !== '') hooks.text(part.value)
      } else if (part instanceof vscode.LanguageModelToolCallPart) calls.push(callOf(part, names.fromWire))
    }
    if (signal.aborted) return { kind: 'failed', code: 'cancelled', message: 'cancelled' }
    // The cost of the request is unknown, so no usage is reported.
    return {
      kind: 'reply',
      content: text === '' ? null : text,
      calls,
      model: `vscode:${chat.vendor}/${chat.id}`,
    }
  } finally {
    cancel.dispose()
  }
}

function callOf(
  { callId, name, input }: vscode.LanguageModelToolCallPart,
  nameOf: (name: string) => string,
): WireCall {
  const written = JSON.stringify(input ?? {})
  return { id: callId, type: 'function', function: { name: nameOf(name), arguments: written } }
}

function toMessage({ role, parts }: PlainMessage, images: boolean): vscode.LanguageModelChatMessage {
  const isAssistant = role === 'assistant'
  const { Assistant, User } = vscode.LanguageModelChatMessageRole
  const content = parts.map((part) => toPart(part, images))
  return new vscode.LanguageModelChatMessage(isAssistant ? Assistant : User, content)
}

type Content = ConstructorParameters<typeof vscode.LanguageModelChatMessage>[1]
type InputPart = Exclude<Content, string>[number]

function toPart(part: PlainPart, images: boolean): InputPart {
  switch (part.kind) {
    case 'text':
      return new vscode.LanguageModelTextPart(part.text)
    case 'call':
      return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input)
    case 'image':
      return imagePart(part.image, images)
    case 'result':
      return new vscode.LanguageModelToolResultPart(part.id, [
        new vscode.LanguageModelTextPart(part.text),
        ...part.images.map((image) => imagePart(image, images)),
      ])
  }
}

function imagePart({ mime, data }: Image, images: boolean): InputPart {
  // The type may be newer than the running VS Code.
  const { LanguageModelDataPart: Part } = vscode as {
    LanguageModelDataPart?: { image(data: Uint8Array, mime: string): InputPart }
  }
  if (!images || Part === undefined)
    return new vscode.LanguageModelTextPart(`[an image (${mime}) was omitted: this model accepts no images]`)
  return Part.image(Buffer.from(data, 'base64'), mime)
}

/** The capabilities that the model reports; all if it reports none. */
function capabilitiesOf(chat: vscode.LanguageModelChat): {
  readonly images: boolean
  readonly tools: boolean
} {
  try {
    const { capabilities } = chat as { capabilities?: { [name: string]: unknown } }
    const lacks = (...names: string[]) => names.some((name) => capabilities?.[name] === false)
    return {
      images: !lacks('supportsImageToText', 'imageInput'),
      tools: !lacks('supportsToolCalling', 'toolCalling'),
    }
  } catch {
    // This property is not accessible to extensions yet.
    return { images: true, tools: true }
  }
}
