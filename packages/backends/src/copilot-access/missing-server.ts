import path from 'node:path'
import { findServer, type ServerPaths } from '../copilot-ls/find-server.ts'

/** Explains why no language server can be started, and what to do. Full sentences. */
export function missingServerMessage(places: ServerPaths): string {
  return (
    serverConfigProblem(places) ??
    'the Copilot language server is not installed. Run "cadre login" to install it, or set copilot.server in config.yaml to its program or folder.'
  )
}

/** Explains what is wrong with the configured server, in full sentences. Undefined if none is configured, or it exists. */
export function serverConfigProblem(places: ServerPaths): string | undefined {
  const { env, configured } = places
  const chosen = configured ?? env['CADRE_COPILOT_SERVER']
  if (!chosen || findServer(places) !== undefined) return undefined
  if (!path.isAbsolute(chosen))
    return `${configured === undefined ? 'CADRE_COPILOT_SERVER' : 'copilot.server'} must be an absolute path, not ${chosen}.`
  return `${chosen} is not a Copilot language server that runs on this machine. Correct copilot.server in config.yaml, or CADRE_COPILOT_SERVER.`
}
