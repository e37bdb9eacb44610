import type { Tool } from '@cadre/core'
import { countingTools } from '../../engine/tools.ts'

/** The counting tools with a read that never ends. Another process runs it again. */
export function hangingLook() {
  let count = 0
  const { tools, done } = countingTools()
  const changed = tools.map(
    (tool): Tool =>
      tool.name === 'look'
        ? {
            ...tool,
            run: (_input, _context, signal) => {
              count += 1
              return new Promise((_, reject) => {
                signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
              })
            },
          }
        : tool,
  )
  return { tools: changed, done, count: () => count }
}
