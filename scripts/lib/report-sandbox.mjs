import { pathToFileURL } from 'node:url'
import { fromRoot, say } from './run.mjs'

/** Before tests of which some need the sandbox: reports why these are skipped, if it does not work. The packages must be built. */
export async function reportSandbox() {
  const { findSandbox } = await import(pathToFileURL(fromRoot('packages/gate/dist/index.js')).href)
  const sandbox = await findSandbox(process.env)
  if (sandbox.kind === 'none') say(`The tests that need the sandbox are skipped: ${sandbox.reason}.`)
}
