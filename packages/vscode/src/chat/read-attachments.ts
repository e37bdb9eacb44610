import type { Image } from '@cadre/core'
import * as vscode from 'vscode'
import type { Attachment } from './work-with-attachments.ts'

const maxAttachmentLength = 20_000
const maxTotalLength = 100_000
const maxBytes = 2_000_000
const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** References that VS Code adds for its own agents: their list, and instructions for them. */
const forCopilot = /^vscode\.(?:prompt|customizations|instructions)\b/

export interface Attachments {
  readonly texts: readonly Attachment[]
  readonly images: readonly Image[]
}

/** Reads what the person attached: files, selections, symbols, texts and images, with size limits. */
export async function readAttachments(
  references: readonly vscode.ChatPromptReference[],
): Promise<Attachments> {
  const texts: Attachment[] = []
  const images: Image[] = []
  let left = maxTotalLength
  // VS Code lists the last one first.
  for (const reference of references.toReversed()) {
    if (forCopilot.test(reference.id)) continue
    const read = await readReference(reference).catch(
      (error: unknown): Attachment => ({
        kind: 'mention',
        label: labelOf(reference),
        why: `the file could not be read: ${String(error)}`,
      }),
    )
    if (read === undefined) continue
    if ('data' in read) {
      images.push(read)
      continue
    }
    if (read.kind === 'mention') {
      texts.push(read)
      continue
    }
    const max = Math.min(maxAttachmentLength, left)
    const text = read.text.slice(0, max)
    left -= text.length
    texts.push({ ...read, text, cut: read.text.length - text.length })
  }
  return { texts, images }
}

async function readReference(reference: vscode.ChatPromptReference): Promise<Attachment | Image | undefined> {
  const { value } = reference
  if (typeof value === 'string') return { kind: 'text', label: labelOf(reference), text: value }
  if (value instanceof vscode.Uri) return readFile(value)
  if (isLocation(value)) {
    const document = await vscode.workspace.openTextDocument(value.uri)
    const { start, end } = value.range
    const label = `${pathOf(value.uri)}, lines ${start.line + 1} to ${end.line + 1}`
    return { kind: 'text', label, text: document.getText(value.range) }
  }
  return readBinary(value)
}

async function readFile(uri: vscode.Uri): Promise<Attachment | Image> {
  const label = pathOf(uri)
  const { type, size } = await vscode.workspace.fs.stat(uri)
  if (type & vscode.FileType.Directory) return { kind: 'mention', label, why: 'a folder' }
  if (size > maxBytes) return { kind: 'mention', label, why: `${size} bytes, too large to attach` }
  const data = await vscode.workspace.fs.readFile(uri)
  const mime = imageTypes[uri.path.slice(uri.path.lastIndexOf('.') + 1).toLowerCase()]
  if (mime !== undefined) return { mime, data: Buffer.from(data).toString('base64') }
  if (data.includes(0)) return { kind: 'mention', label, why: 'a binary file' }
  // Unsaved text of an open editor is what the person sees.
  const open = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString())
  return { kind: 'text', label, text: open?.getText() ?? Buffer.from(data).toString('utf8') }
}

/** A pasted image: an object of newer versions, with its type and a function that returns its bytes. */
async function readBinary(value: unknown): Promise<Image | undefined> {
  const { mimeType, data } = (value ?? {}) as { mimeType?: unknown; data?: unknown }
  if (typeof mimeType !== 'string' || typeof data !== 'function') return undefined
  const bytes: unknown = await data.call(value)
  if (!(bytes instanceof Uint8Array) || bytes.byteLength > maxBytes) return undefined
  return { mime: mimeType, data: Buffer.from(bytes).toString('base64') }
}

function isLocation(value: unknown): value is vscode.Location {
  if (value instanceof vscode.Location) return true
  const { uri, range } = (value ?? {}) as { uri?: unknown; range?: unknown }
  return uri instanceof vscode.Uri && range instanceof vscode.Range
}

function labelOf({ modelDescription, id }: vscode.ChatPromptReference): string {
  return modelDescription ?? id
}

function pathOf(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri)
}
