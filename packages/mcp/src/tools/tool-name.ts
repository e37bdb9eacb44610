import { createHash } from 'node:crypto'

const longest = 64

/**
 * The name that models see: `mcp__server__tool`, in the characters and the length that every model API accepts. The prefix keeps it apart
 * from Cadre's own tools. If the name had to be changed or is taken, it ends with a hash of the pair.
 */
export function toolName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const clean = (text: string) => text.replace(/[^A-Za-z0-9_-]/g, '_')
  const name = `mcp__${clean(server)}__${clean(tool)}`
  if (name.length <= longest && !taken.has(name.toLowerCase())) return name
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8)
  return `${name.slice(0, longest - 9)}_${hash}`
}
