import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { type Infer, integer, isObject, object, optional, parseJson, type Tool } from '@cadre/core'
import { builtIn, type ToolImplementation } from '../built-in.ts'
import { truncateText } from '../files/text.ts'
import { codeOf, Refusal } from '../refusal.ts'

const defaultMessages = 20

const input = object({
  limit: optional(
    integer(`How many of the latest messages to read; default ${defaultMessages}`, { min: 1, max: 200 }),
  ),
})

export type SlackReadInput = Infer<typeof input>

export function slackReadTool(home: string): Tool {
  return builtIn<SlackReadInput>({
    name: 'slack_read',
    description:
      'Read the latest Slack messages that were received or sent, oldest first, one JSON object per line. Do not assume that a message is for you unless it is addressed to you.',
    class: 'message',
    effect: 'read',
    input,
    load: () => slackRead(home),
  })
}

const inboxFile = 'inbox/slack-messages.jsonl'
/** The newest messages are at the end, so only this much of it is read. */
const maxBytes = 1_024 * 1_024
const maxMessageLength = 4_000
const maxLength = 50_000
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function slackRead(home: string): ToolImplementation<SlackReadInput> {
  return {
    async run({ limit = defaultMessages }) {
      const lines = await endOf(path.join(home, 'inbox', 'slack-messages.jsonl'))
      const messages: string[] = []
      let letters = 0
      for (const line of lines.reverse()) {
        // An incomplete or edited line is skipped.
        const read = parseJson(line)
        if (!read.ok || !isObject(read.value)) continue
        const { text } = read.value
        const message = JSON.stringify(
          typeof text === 'string' && text.length > maxMessageLength
            ? { ...read.value, text: `${truncateText(text, maxMessageLength)} [the rest is omitted]` }
            : read.value,
        )
        letters += message.length
        if (messages.length === limit || letters > maxLength) break
        messages.push(message)
      }
      return {
        content: messages.length === 0 ? 'There are no Slack messages yet.' : messages.reverse().join('\n'),
      }
    },
  }
}

/** Returns the last complete lines of the file. */
async function endOf(file: string): Promise<string[]> {
  let handle: FileHandle
  try {
    handle = await open(file, flags)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw codeOf(error) === 'ELOOP' ? noFile() : error
  }
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw noFile()
    const from = Math.max(0, stats.size - maxBytes)
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(stats.size - from),
      0,
      stats.size - from,
      from,
    )
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    return from === 0 ? lines : lines.slice(1)
  } finally {
    await handle.close()
  }
}

function noFile(): Refusal {
  return new Refusal(`${inboxFile} is not a regular file. A person must replace it.`)
}
