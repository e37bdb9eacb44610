import type { Home } from '@cadre/home'
import { createRemoteKeeper } from '@cadre/server'
import type { Io } from '../../io.ts'
import { engineSettings, requireEngine } from '../engine/engine-settings.ts'

type CreateKeeper = (
  options: Omit<Parameters<typeof createRemoteKeeper>[0], 'trees' | 'place'>,
) => ReturnType<typeof createRemoteKeeper>

/** Returns how to create the keeper if sessions run on workers: with `--engine restate`, or if config.yaml has an engine. */
export async function remoteKeeper(
  io: Io,
  home: Home,
  wanted: 'files' | 'restate' | undefined,
): Promise<CreateKeeper | undefined> {
  if (wanted === 'files') return undefined
  const engine = wanted === 'restate' ? await requireEngine(io, home) : await engineSettings(io, home)
  if (engine === undefined) return undefined
  const { ingress, place } = engine
  const { createRestateKeeper } = await import('@cadre/restate')
  return (options) =>
    createRemoteKeeper({ ...options, place, trees: createRestateKeeper({ ingress, place }) })
}
