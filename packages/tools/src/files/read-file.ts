import type { Places } from '@cadre/gate'
import type { Work } from '../built-in.ts'
import { Refusal } from '../refusal.ts'
import { confined } from './confine.ts'
import { openRegular } from './open-regular.ts'
import { defaultLines, type ReadFileInput } from './read-file-tool.ts'
import { readLines } from './read-lines.ts'

export const readFile = (places?: Places): Work<ReadFileInput> => ({
  async run({ path, offset = 1, limit = defaultLines }, context, signal) {
    const file = confined({ context, path, places })
    await using opened = await openRegular(file)
    const part = await readLines(
      opened.handle,
      { first: offset, most: limit, size: opened.stats.size },
      signal,
    )
    if (part.kind === 'binary')
      throw new Refusal(`${file.shown} is not a text file; use view_image if it is a picture.`)
    if (part.kind === 'past') {
      if (part.lines === 0 && offset === 1) return { content: `[${file.shown} is empty]` }
      throw new Refusal(`${file.shown} has ${part.lines} lines; offset ${offset} is past its end.`)
    }
    return { content: part.note === '' ? part.text : `${part.text}\n[${part.note}]` }
  },
})
