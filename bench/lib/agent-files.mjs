import fs from 'node:fs'
import path from 'node:path'

/** Typical folders of a repository of agents: files are spread over them, up to ten levels deep. */
const areas = ['data', 'devops', 'frontend/react', 'backend/node', 'security', 'docs/api/reference', 'tests']

const tools = ['read', 'search', 'edit', 'Bash', 'web/fetch', 'mcp__docs__query', 'Grep', 'search/codebase']

/**
 * Writes `count` agent files below `.github/agents` of a folder: nine of ten are well-formed, one of ten has a value that
 * YAML rejects. Each has a prompt of about two kilobytes. Returns their paths.
 */
export function writeAgentFiles(folder, count) {
  return Array.from({ length: count }, (_, i) => {
    const file = path.join(folder, '.github/agents', areas[i % areas.length], `agent-${i}.agent.md`)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, agentText(i))
    return file
  })
}

export function agentText(i, description = `Looks after part ${i} of the system`) {
  const value = i % 10 === 9 ? `${description}. Use it for: questions about it` : `'${description}'`
  return `---
name: agent-${i}
description: ${value}
tools: [${[0, 1, 2].map((n) => `'${tools[(i + n) % tools.length]}'`).join(', ')}]
model: ${i % 3 === 0 ? 'sonnet' : 'inherit'}
handoffs:
  - label: Go on
    agent: agent-${i + 1}
    prompt: Go on with what was found.
---
# Agent ${i}

${'You read what is there before you change it, and you say what you did.\n'.repeat(28)}`
}
