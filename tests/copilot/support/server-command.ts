import path from 'node:path'
import { findServer, type ServerCommand } from '../../../packages/backends/src/copilot-ls/find-server.ts'

/** The language server that `npm run test:copilot` installed. */
export function serverPackage(): string {
  const folder = process.env['CADRE_TEST_COPILOT']
  if (folder === undefined)
    throw new Error('Run these tests with `npm run test:copilot`, which installs what they need.')
  return path.join(folder, 'node_modules', '@github', 'copilot-language-server')
}

export function serverCommand(): ServerCommand {
  const found = findServer({ env: {}, configured: serverPackage() })
  if (found === undefined) throw new Error(`There is no language server in ${serverPackage()}.`)
  return found
}
