/// <reference lib="es2024.string" />

import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@cadre/core'
import { quoted, yamlText } from '@cadre/disk'
import type { ChatLog, LogEntry } from './chat-log.ts'
import { escapeText, headingText } from './log-lines.ts'
import { inputOf } from './read-chat-log.ts'

/** Writes a complete log. `readChatLog` returns the same log. */
export function writeChatLog(log: ChatLog): string {
  const head = [
    `# Agent: ${oneLine(log.agent)}`,
    ...(log.type === undefined ? [] : [`type: ${oneLine(log.type)}`]),
    ...(log.created === undefined ? [] : [`created: ${oneLine(log.created)}`]),
  ]
  const prompt = escapeText(log.systemPrompt.toWellFormed())
  return `${head.join('\n')}\n\n## System Prompt\n\n${prompt}${prompt === '' ? '' : '\n\n'}## Conversation\n${writeEntries(log.entries)}`
}

/** Formats entries for a log, each with an empty line before it. */
export function writeEntries(entries: readonly LogEntry[]): string {
  return entries.map((entry) => `\n${headingText(entry)}\n${bodyOf(entry)}`).join('')
}

function bodyOf(entry: LogEntry): string {
  const text = entry.role === 'tool_call' ? callText(entry.name, entry.input) : entry.content.toWellFormed()
  return text === '' ? '' : `${escapeText(text)}\n`
}

function callText(name: string, input: JsonObject | string): string {
  const title = oneLine(name) || 'unknown'
  if (typeof input === 'string') {
    const plain = input.toWellFormed()
    return inputOf(plain) === plain ? `${title}\n${plain}` : `${title}\n${quoted(plain)}`
  }
  if (Object.keys(input).length === 0) return title
  const yaml = yamlText(Object.entries(input), { blocks: true }).trimEnd()
  // YAML changes some keys and numbers when it reads them back, but never text.
  const isFaithful = isDeepStrictEqual(inputOf(asRead(yaml)), input)
  return `${title}\n${isFaithful ? yaml : quoted(JSON.stringify(input).toWellFormed())}`
}

/** The text as the reader sees it: without trailing spaces, and with the line endings of the file. */
function asRead(yaml: string): string {
  return yaml.replace(/\r+(?=\n|$)/g, '')
}

function oneLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').trim()
}
