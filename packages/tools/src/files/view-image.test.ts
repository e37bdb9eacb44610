import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryWorkspace, type Workspace } from './workspace.spec-helpers.ts'

let ws: Workspace
beforeEach(() => {
  ws = temporaryWorkspace()
})
afterEach(() => ws[Symbol.dispose]())

describe('view_image', () => {
  const heads: [string, Buffer, string][] = [
    ['PNG', Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1'), 'image/png'],
    ['JPEG', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 'image/jpeg'],
    ['GIF', Buffer.from('GIF89a'), 'image/gif'],
    ['WebP', Buffer.from('RIFF0000WEBPVP8 '), 'image/webp'],
  ]
  it.each(heads)('%s by its content, whatever its name', async (_, bytes, mime) => {
    ws.write('picture.txt', bytes)
    const result = await ws.call('view_image', { filePath: 'picture.txt' })
    expect(result.images).toEqual([{ mime, data: bytes.toString('base64') }])
  })

  it('refuses other files, and images that are too large', async () => {
    ws.write('a.png', '<svg/>')
    expect(await ws.call('view_image', { path: 'a.png' })).toMatchObject({ failed: true })
    ws.write('b.png', Buffer.concat([heads[0]![1], Buffer.alloc(6_000_000)]))
    expect(await ws.call('view_image', { path: 'b.png' })).toMatchObject({
      failed: true,
      content: expect.stringContaining('smaller'),
    })
  })
})
