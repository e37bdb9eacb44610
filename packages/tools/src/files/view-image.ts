import { type Infer, object, string, type Tool } from '@cadre/core'
import type { PathResolver } from '@cadre/gate'
import { builtIn, pathAliases, type ToolImplementation } from '../built-in.ts'
import { Refusal } from '../refusal.ts'
import { confinePath } from './confine-path.ts'
import { openRegularFile } from './open-file.ts'

const input = object({ path: string('Path of the image, relative to the workspace', { min: 1 }) })

export type ViewImageInput = Infer<typeof input>

export function viewImageTool(places?: PathResolver): Tool {
  return builtIn<ViewImageInput>({
    name: 'view_image',
    description: 'View an image: PNG, JPEG, GIF or WebP, up to 5 MB.',
    class: 'read',
    effect: 'read',
    argumentAliases: pathAliases,
    input,
    paths: ({ path }) => [path],
    load: () => viewImage(places),
  })
}

const maxBytes = 5 * 1_024 * 1_024

const viewImage = (places?: PathResolver): ToolImplementation<ViewImageInput> => ({
  async run({ path }, context) {
    const file = confinePath({ context, path, places })
    await using opened = await openRegularFile(file)
    const { size } = opened.stats
    if (size > maxBytes)
      throw new Refusal(
        `${file.shown} is too large: ${size} bytes (at most ${maxBytes}). Make it smaller first.`,
      )
    const bytes = await opened.handle.readFile()
    const mime = imageType(bytes)
    if (mime === undefined) throw new Refusal(`${file.shown} is not a PNG, JPEG, GIF or WebP image.`)
    return {
      content: `${file.shown} (${mime}, ${size} bytes)`,
      images: [{ mime, data: bytes.toString('base64') }],
    }
  },
})

/** Detected from the content, because a file name can be wrong. */
export function imageType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif'
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp'
  return undefined
}
