import { loadParts, type PartsOptions } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { createStyle, shouldUseColour } from '../../output/style.ts'

/** Asks a person in the terminal whether they trust the folder, before the daemon runs unattended. */
export async function askTrustInTerminal(
  io: Io,
  options: PartsOptions & { readonly json?: boolean },
): Promise<void> {
  const hasPerson = io.stdin.isTTY === true && io.stdout.isTTY && options.json !== true
  if (!hasPerson) return
  const { createConfirmTrust } = await import('../../run/create-confirm-trust.ts')
  const style = createStyle(shouldUseColour(io.stdout, io.env))
  const interrupt = () => process.kill(process.pid, 'SIGINT')
  await loadParts(
    io,
    options,
    createConfirmTrust(io, style, { signal: new AbortController().signal, interrupt }),
  )
}
