import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AgentDefinition, fencedText, type Image, type Work } from '@cadre/core'
import { shownLine } from '@cadre/gate'
import type { Runtime } from '@cadre/runtime'
import type { Documents } from '@cadre/tools'
import type { ContentBlock } from './acp-types.ts'

const maxFile = 200_000
const maxResource = 1_000_000
const maxImage = 8_000_000
const maxImages = 20
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const imageNames = /\.(png|jpe?g|gif|webp)$/i

export interface PromptContext {
  readonly orchestrator: Pick<Runtime['orchestrator'], 'explain'>
  /** The agent that receives the prompt. The gate treats each linked file as a read by this agent. */
  readonly agent: AgentDefinition
  readonly workspace: string
  readonly documents: Pick<Documents, 'read'>
}

export interface ParsedPrompt {
  readonly work: Work
  /** What the person typed, without attachments. */
  readonly typed: string
  /** One sentence for each block that was not attached, for the person. */
  readonly notes: readonly string[]
}

/**
 * Reads a prompt. A link to a file is attached only if the agent may read the file. Embedded resources and images are attached
 * unchanged, because the person chose them.
 */
export async function readPrompt(
  blocks: readonly ContentBlock[],
  context: PromptContext,
  signal: AbortSignal,
): Promise<ParsedPrompt> {
  const typed: string[] = []
  const parts: string[] = []
  const images: Image[] = []
  const notes: string[] = []
  const attachImage = (mime: string, data: string, shown: string) => {
    if (!imageTypes.includes(mime))
      notes.push(`${shown} was not attached: ${shownLine(mime, 60)} is not a supported image.`)
    else if (data.length > maxImage) notes.push(`${shown} was not attached: it is larger than 6 MB.`)
    else if (images.length >= maxImages)
      notes.push(`${shown} was not attached: a message can have at most ${maxImages} images.`)
    else if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data))
      notes.push(`${shown} was not attached: it is not valid base64.`)
    else images.push({ mime, data })
  }
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        typed.push(block.text)
        parts.push(block.text)
        break
      case 'image':
        attachImage(block.mimeType, block.data, 'The image')
        break
      case 'resource': {
        const { resource } = block
        const shown = shownLine(resource.uri, 300)
        if ('text' in resource) {
          if (resource.text.length > maxResource)
            notes.push(`${shown} was not attached: it is larger than 1 MB.`)
          else parts.push(`Resource ${shown}:\n\n${fencedText(resource.text)}`)
        } else if (resource.mimeType?.startsWith('image/'))
          attachImage(resource.mimeType, resource.blob, shown)
        else notes.push(`${shown} was not attached: it is neither text nor an image.`)
        break
      }
      case 'resource_link': {
        const attached = await attachLink(block.uri, context, signal)
        const shown = shownLine(block.title || block.name || block.uri, 300)
        if (attached.kind === 'text') parts.push(`File ${attached.path}:\n\n${fencedText(attached.text)}`)
        else if (attached.kind === 'image') attachImage(attached.mime, attached.data, shown)
        else if (attached.kind === 'mention') parts.push(`[${shown}](${shownLine(block.uri, 2_000)})`)
        else {
          notes.push(`${shown} was not attached: ${attached.reason}`)
          parts.push(`[${shown}](${shownLine(block.uri, 2_000)})`)
        }
        break
      }
      default:
        notes.push(`A part of the message was not attached: Cadre does not support ${block.type}.`)
    }
  }
  return {
    work: { content: parts.join('\n\n'), ...(images.length > 0 && { images }) },
    typed: typed.join('\n'),
    notes,
  }
}

type Attached =
  | { readonly kind: 'text'; readonly path: string; readonly text: string }
  | { readonly kind: 'image'; readonly mime: string; readonly data: string }
  /** Attaches only the link. The agent may open it if the gate allows that. */
  | { readonly kind: 'mention' }
  | { readonly kind: 'refused'; readonly reason: string }

async function attachLink(uri: string, context: PromptContext, signal: AbortSignal): Promise<Attached> {
  const file = fileOf(uri, context.workspace)
  if (file === undefined) return { kind: 'mention' }
  let size: number
  try {
    const stats = statSync(file)
    if (!stats.isFile()) return { kind: 'mention' }
    size = stats.size
  } catch {
    return { kind: 'refused', reason: 'the file does not exist.' }
  }
  const { agent, workspace, orchestrator } = context
  const request = { chain: [agent], tool: 'read_file', input: { path: file }, workspace } as const
  const { verdict } = await orchestrator.explain(request, signal)
  if (verdict.kind === 'deny') return { kind: 'refused', reason: verdict.reason }
  const [, kind] = imageNames.exec(file) ?? []
  if (kind !== undefined) {
    if (size > maxImage) return { kind: 'refused', reason: 'the file is larger than 6 MB.' }
    const mime = `image/${kind.toLowerCase().replace('jpg', 'jpeg')}`
    return { kind: 'image', mime, data: readFileSync(file).toString('base64') }
  }
  if (size > maxFile) return { kind: 'mention' }
  const bytes = readFileSync(file)
  if (bytes.includes(0)) return { kind: 'refused', reason: 'the file is neither text nor an image.' }
  const call = { session: '', agent: agent.name, call: '', key: '', workspace }
  const unsaved = await context.documents.read({ path: file, context: call }, signal)
  return { kind: 'text', path: file, text: unsaved ?? bytes.toString('utf8') }
}

/** The path of a link to a file: `file:///a/b.ts#L10`, or a path. Undefined for any other address. */
function fileOf(uri: string, workspace: string): string | undefined {
  if (/^file:/i.test(uri)) {
    try {
      const url = new URL(uri)
      url.hash = ''
      url.search = ''
      return fileURLToPath(url)
    } catch {
      return undefined
    }
  }
  return /^[a-z][a-z0-9+.-]*:/i.test(uri) || uri.includes('\0') ? undefined : path.resolve(workspace, uri)
}
