import fs from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { writeAgentFiles } from '../lib/agent-files.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'

// A minimal reader of agent files: every file, its header through the same YAML parser, nothing checked. Files that the
// parser rejects are skipped.
const { tmp, n } = readWorkload()
writeAgentFiles(tmp, n)
const start = performance.now()
const agents = []
const folder = path.join(tmp, '.github/agents')
for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const [, header, ...body] = fs.readFileSync(path.join(entry.parentPath, entry.name), 'utf8').split(/^---$/m)
  try {
    agents.push({ ...parse(header), prompt: body.join('---') })
  } catch {}
}
const coldMs = performance.now() - start
print(
  agents.length === 0
    ? { error: 'nothing was read' }
    : { coldMs, coldPerFileUs: (coldMs * 1000) / n, read: agents.length },
)
