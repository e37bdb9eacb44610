import { findSandbox } from '@cadre/gate'
import type { TestContext } from 'vitest'

/** Skips a test that needs the sandbox where it does not work, and reports why. Call it first in the test. */
export async function skipWithoutSandbox({ skip }: TestContext): Promise<void> {
  const sandbox = await findSandbox(process.env)
  if (sandbox.kind === 'none') skip(`it needs the sandbox: ${sandbox.reason}`)
}
