import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError, parseJson } from '@cadre/core'
import { hasCode, makeFolder, ownerOnly } from '@cadre/disk'
import type { ServerConfig } from '../config/server-config.ts'
import { fingerprintTool, type ServerToolDefinition } from './fingerprint-tool.ts'

/** What Cadre knows about a server's tools. */
export interface ApprovedTools {
  /** The definitions that agents may use. */
  readonly tools: readonly ServerToolDefinition[]
  /** Definitions that are new or have changed since. Agents cannot use them until a person has approved them. */
  readonly pending: readonly ServerToolDefinition[]
}

/** The approved tool definitions. They are stored outside any repository. */
export interface ApprovedToolStore {
  of(server: ServerConfig): ApprovedTools | undefined
  save(server: ServerConfig, approved: ApprovedTools): void
  remove(server: ServerConfig): void
}

/** One file per server. If a server's command line or address changes, it gets a new file, so it starts without approved tools. */
export function openApprovedTools(folder: string): ApprovedToolStore {
  const fileOf = (server: ServerConfig) => path.join(folder, `${identityOf(server)}.json`)
  return {
    of(server) {
      const file = fileOf(server)
      let text: string
      try {
        text = readFileSync(file, 'utf8')
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined
        throw error
      }
      const parsed = parseJson(text)
      if (!parsed.ok || !isApprovedTools(parsed.value))
        throw new CadreError(
          'corrupt',
          'cannot read the approved tools for an MCP server. Delete this file to approve them again.',
          {
            where: file,
          },
        )
      return parsed.value as unknown as ApprovedTools
    },
    save(server, { tools, pending }) {
      makeFolder(folder, () => 0o700)
      const file = fileOf(server)
      const content = { server: server.name, file: server.file, tools, pending }
      const draft = `${file}.${process.pid}`
      writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: ownerOnly })
      renameSync(draft, file)
    },
    remove(server) {
      try {
        renameSync(fileOf(server), `${fileOf(server)}.removed`)
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) throw error
      }
    },
  }
}

/** Two servers with the same identity are the same program in the same place in the configuration. The values of variables are ignored. */
export function identityOf({ name, scope, file, agent, reach }: ServerConfig): string {
  return createHash('sha256')
    .update(JSON.stringify([name, scope, file, agent ?? null, reach]))
    .digest('hex')
    .slice(0, 32)
}

/** Compares a server's list of tools with the approved ones. */
export function compareWithApproved(
  approved: readonly ServerToolDefinition[],
  listed: readonly ServerToolDefinition[],
): ApprovedTools & { readonly gone: readonly string[] } {
  const fingerprints = new Map(approved.map((tool) => [tool.name, fingerprintTool(tool)]))
  const same = listed.filter((tool) => fingerprints.get(tool.name) === fingerprintTool(tool))
  const names = new Set(listed.map(({ name }) => name))
  return {
    tools: same,
    pending: listed.filter((tool) => !same.includes(tool)),
    gone: approved.flatMap(({ name }) => (names.has(name) ? [] : [name])),
  }
}

function isApprovedTools(value: unknown): boolean {
  const { tools, pending } = (value ?? {}) as { tools?: unknown; pending?: unknown }
  const isList = (list: unknown) =>
    Array.isArray(list) &&
    list.every((tool) => typeof tool?.name === 'string' && typeof tool.inputSchema === 'object')
  return isList(tools) && isList(pending)
}
