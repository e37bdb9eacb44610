import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { CadreError, type Image, type Work } from '@cadre/core'
import type { Io } from '../../io.ts'
import { readImages } from '../../run/read-images.ts'

const largest = 200_000
const imageNames = /\.(?:png|jpe?g|gif|webp)$/i
const mention = /(?<=^|\s)@(?:"([^"\n]+)"|([^\s"]+?))(?=[.,:;!?)]*(?:\s|$))/g

/**
 * The message with the files that it mentions with an `@`: texts below it, images beside it. A mention of something that is no file stays
 * as it is. Rejects a file that cannot be read, is too large, or is neither a text nor an image.
 */
export function attachFiles(io: Io, text: string, workspace: string): Work {
  const names = [...new Set([...text.matchAll(mention)].map(([, quoted, plain]) => quoted ?? plain ?? ''))]
  const files = names.filter((name) => isFile(path.resolve(workspace, name)))
  if (files.length === 0) return { content: text }
  const images: Image[] = []
  const texts: string[] = []
  for (const name of files) {
    const file = path.resolve(workspace, name)
    if (imageNames.test(name)) images.push(...readImages(io, [file]))
    else texts.push(`File ${name}:\n\n${fenced(textOf(file))}`)
  }
  return { content: [text, ...texts].join('\n\n'), ...(images.length > 0 && { images }) }
}

function isFile(file: string): boolean {
  try {
    return statSync(file).isFile()
  } catch {
    return false
  }
}

function textOf(file: string): string {
  if (statSync(file).size > largest)
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

/** The fence is longer than any in the text, so that the text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}
