import { type Infer, object, string, type Tool } from '@cadre/core'
import type { Places } from '@cadre/gate'
import { builtIn, pathAliases } from '../built-in.ts'

const input = object({ path: string('Path of the picture, relative to the workspace', { min: 1 }) })

export type ViewImageInput = Infer<typeof input>

export function viewImageTool(places?: Places): Tool {
  return builtIn<ViewImageInput>({
    name: 'view_image',
    description: 'Look at a picture: PNG, JPEG, GIF or WebP, up to 5 MB.',
    class: 'read',
    effect: 'read',
    argumentAliases: pathAliases,
    input,
    paths: ({ path }) => [path],
    load: async () => (await import('./view-image.ts')).viewImage(places),
  })
}
