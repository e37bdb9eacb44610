import { CadreError } from '@cadre/core'
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import type { McpHost } from './mcp-host.ts'
import { runLine, runText } from './run-text.ts'

const listed = 20

/** Every run as a resource, `cadre://runs/ID`: the same text as `get_result`. */
export function addResources(server: McpServer, host: McpHost): void {
  const template = new ResourceTemplate('cadre://runs/{id}', {
    async list() {
      const { list } = await host.delegatedRuns()
      return {
        resources: (await list(listed)).map((run) => ({
          uri: `cadre://runs/${encodeURIComponent(run.id)}`,
          name: run.id,
          description: runLine(run).slice(2),
          mimeType: 'text/plain',
        })),
      }
    },
  })
  const about = { title: 'A run', description: "A run's state and report", mimeType: 'text/plain' }
  server.registerResource('run', template, about, async (uri, { id }) => {
    const delegatedRuns = await host.delegatedRuns()
    const wanted = decodeURIComponent(String(id))
    try {
      const run = await delegatedRuns.read(wanted)
      const text = runText(run, { file: delegatedRuns.sessions.fileOf(run.id), mayDecide: false })
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] }
    } catch (error) {
      if (error instanceof CadreError && error.code === 'not_found') throw new ResourceNotFoundError(uri.href)
      throw error
    }
  })
}
