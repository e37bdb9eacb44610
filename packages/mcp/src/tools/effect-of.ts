import { type Effect, isObject, type Json, type JsonObject } from '@cadre/core'
import type { ServerToolDefinition } from '../approved-tools/fingerprint-tool.ts'
import type { ServerConfig } from '../config/server-config.ts'

/**
 * What a tool can change. The user's configuration decides; the annotations come from the server and are not trusted: they can only
 * turn `read` into `outbound`.
 */
export function effectOf({ effects }: Pick<ServerConfig, 'effects'>, tool: ServerToolDefinition): Effect {
  // A server may name a tool `constructor`, which every object has.
  const own = Object.hasOwn(effects, tool.name) ? effects[tool.name] : undefined
  const stated = own ?? effects['*'] ?? 'outbound'
  return stated === 'read' && admitsChanges(tool.annotations) ? 'outbound' : stated
}

function admitsChanges(annotations: Json | undefined): boolean {
  if (!isObject(annotations)) return false
  const { readOnlyHint, destructiveHint } = annotations as JsonObject
  return readOnlyHint === false || destructiveHint === true
}
