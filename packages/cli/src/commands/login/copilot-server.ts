import { homeOf, loadSettings, untrustedItems } from '@cadre/runtime'
import type { Io } from '../../io.ts'

/** `copilot.server` of the configuration. That of a home applies only if it is trusted, because it is a program. */
export async function copilotServer(io: Io, wanted: string | undefined): Promise<string | undefined> {
  const home = homeOf(io, wanted)
  const homeTrusted = (await untrustedItems(io, home)).length === 0
  const { config } = await loadSettings(io, home, { homeTrusted })
  return config.copilot?.server
}
