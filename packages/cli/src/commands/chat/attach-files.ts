import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { type AgentDefinition, CadreError, fencedText, type Image, type Work } from '@cadre/core'
import { statsAt } from '@cadre/disk'
import type { Runtime } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { formatAmount, formatCount } from '../../output/numbers.ts'
import { readImages } from '../../run/read-images.ts'
import type { EnteredLine } from './input.ts'
import { mentionsIn } from './mentions.ts'

const maxBytes = 200_000
const imageNames = /\.(?:png|jpe?g|gif|webp)$/i

export interface AttachOptions {
  readonly io: Io
  readonly orchestrator: Pick<Runtime['orchestrator'], 'explain'>
  /** The agent that the message goes to: the gate judges each file as a read by this agent. */
  readonly agent: AgentDefinition
  readonly workspace: string
}

export interface AttachResult {
  readonly work: Work
  /** One sentence for each file, attached or not, for the person. */
  readonly notes: readonly string[]
}

/**
 * Returns the message with the files that its author mentions with a typed `@`: text is appended, images are attached. A
 * mention that is not a file stays unchanged, and so does one in text that the person did not type. Rejects a file that is
 * unreadable, too large, or neither text nor an image.
 */
export async function attachFiles(
  text: string,
  entered: EnteredLine,
  options: AttachOptions,
): Promise<AttachResult> {
  const { io, workspace } = options
  const seen = mentionsIn(entered.text).map(({ name }) => name)
  const names = [...new Set(mentionsIn(text).map(({ name }) => name))].filter((name) => seen.includes(name))
  const images: Image[] = []
  const texts: string[] = []
  const notes: string[] = []
  for (const name of names) {
    const written = name.replace(/^~(?=\/)/, io.env['HOME'] || '~')
    const file = path.resolve(workspace, written)
    const shown = cleanLine(name)
    if (!statsAt(file)?.isFile()) {
      // Without an extension it is more likely a name, such as @types/node.
      if (!existsSync(file) && path.extname(name) !== '' && entered.mentions.includes(name))
        notes.push(`${shown} was not attached: there is no such file.`)
      continue
    }
    if (!entered.mentions.includes(name)) {
      notes.push(`${shown} was not attached, because you did not type its @. Type @${shown} to attach it.`)
      continue
    }
    const denied = await denialOf(written, options)
    if (denied !== undefined) {
      notes.push(`${shown} was not attached: ${cleanLine(denied)}`)
      continue
    }
    if (imageNames.test(name)) {
      const [image] = readImages(io, [file])
      if (image !== undefined) images.push(image)
      notes.push(`Attached ${shown} (${formatAmount(statSync(file).size)} bytes).`)
    } else {
      const content = textOf(file)
      texts.push(`File ${name}:\n\n${fencedText(content)}`)
      notes.push(`Attached ${shown} (${formatCount(content.trimEnd().split('\n').length, 'line')}).`)
    }
  }
  return { work: { content: [text, ...texts].join('\n\n'), ...(images.length > 0 && { images }) }, notes }
}

/** The reason if the gate denies the read. If the gate would ask, the person has answered by typing the path. */
async function denialOf(
  name: string,
  { orchestrator, agent, workspace }: AttachOptions,
): Promise<string | undefined> {
  const request = { chain: [agent], tool: 'read_file', input: { path: name }, workspace } as const
  const { verdict } = await orchestrator.explain(request, new AbortController().signal)
  if (verdict.kind !== 'deny') return undefined
  // Screenshots are rarely in the workspace. A text outside of it may be a secret, and stays out.
  return verdict.rule === 'paths.outside' && imageNames.test(name) ? undefined : verdict.reason
}

function textOf(file: string): string {
  if (statSync(file).size > maxBytes)
    throw new CadreError(
      'usage',
      'the file is larger than 200 KB. Name it without the @, so that the agent reads a part of it.',
      {
        where: file,
      },
    )
  const text = readFileSync(file, 'utf8')
  if (text.includes('\0'))
    throw new CadreError('usage', 'the file is neither text nor an image.', { where: file })
  return text
}
