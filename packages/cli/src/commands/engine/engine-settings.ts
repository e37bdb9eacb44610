import { CadreError } from '@cadre/core'
import type { EngineSettings, Home } from '@cadre/home'
import { loadSettings } from '@cadre/runtime'
import type { Io } from '../../io.ts'

/** The settings of the engine, with defaults. */
export type RestateSettings = Required<Omit<EngineSettings, 'repository'>> &
  Pick<EngineSettings, 'repository'>

/** Returns the engine in config.yaml of a trusted home, or `undefined` if it has none. */
export async function engineSettings(io: Io, home: Home): Promise<RestateSettings | undefined> {
  const { engine } = (await loadSettings(io, home, { homeTrusted: true })).config
  return engine && withDefaults(engine)
}

export function withDefaults(engine: EngineSettings): RestateSettings {
  return {
    ingress: 'http://127.0.0.1:8080',
    admin: 'http://127.0.0.1:9070',
    identityKeys: [],
    workspace: 'folder',
    ledger: engine.place,
    ...engine,
  }
}

/** Rejects if config.yaml has no engine. */
export async function requireEngine(io: Io, home: Home): Promise<RestateSettings> {
  const engine = await engineSettings(io, home)
  if (engine !== undefined) return engine
  throw new CadreError(
    'configuration',
    'engine is not set. Run "cadre engine start" and add the lines that it prints, or add engine: {kind: restate, place: NAME} for a server on the default ports.',
    { where: home.at('config.yaml') },
  )
}
