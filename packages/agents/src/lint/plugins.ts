import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '@cadre/core'
import { isFolder, isInside } from '@cadre/disk'

/** The folders with manifests of plugins and marketplaces, relative to the folder they describe. */
const manifestFolders = ['.claude-plugin', '.github/plugin', '.plugin']
const maxManifestSize = 5_000_000

/** The name of the plugin, by the path of each folder or file in which it provides agents. */
type PluginPlaces = ReadonlyMap<string, string>

/**
 * Returns the name of the plugin that provides a file as an agent. A plugin has its agents in `agents`, and where its
 * manifest or marketplace entry says so. Caches manifests.
 */
export function createPlugins(): (file: string) => string | undefined {
  const known = new Map<string, PluginPlaces>()
  const placesAt = (folder: string): PluginPlaces => {
    const places = known.get(folder) ?? readPlaces(folder)
    known.set(folder, places)
    return places
  }

  return (file) => {
    const climbed = [file]
    for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
      climbed.push(folder)
      const places = placesAt(folder)
      const place = places.size === 0 ? undefined : climbed.find((one) => places.has(one))
      if (place !== undefined) return places.get(place)
      if (path.dirname(folder) === folder) return undefined
    }
  }
}

function readPlaces(folder: string): PluginPlaces {
  const manifests = manifestFolders.map((name) => path.join(folder, name)).filter(isFolder)
  const found = manifests.flatMap((manifest) => [
    ...placesOf(folder, readManifest(path.join(manifest, 'plugin.json'))),
    ...placesOfMarketplace(folder, readManifest(path.join(manifest, 'marketplace.json'))),
  ])
  // If two plugins provide the same folder, the first one is used.
  return new Map(found.reverse())
}

type Manifest = { readonly [key: string]: unknown }

type FoundPlace = [at: string, plugin: string]

function placesOf(root: string, manifest: Manifest | undefined): FoundPlace[] {
  if (manifest === undefined) return []
  const { name, agents } = manifest
  const plugin = typeof name === 'string' && name !== '' ? name : path.basename(root)
  const named = (Array.isArray(agents) ? agents : [agents]).filter((one) => typeof one === 'string')
  return ['agents', ...named].map((one): FoundPlace => [path.resolve(root, one), plugin])
}

/** Plugins in the same folder tree. Others are elsewhere. */
function placesOfMarketplace(folder: string, marketplace: Manifest | undefined): FoundPlace[] {
  const { plugins, metadata } = marketplace ?? {}
  if (!Array.isArray(plugins)) return []
  const below = isObject(metadata) ? metadata['pluginRoot'] : undefined
  const top = typeof below === 'string' ? path.resolve(folder, below) : folder
  return plugins.flatMap((entry: unknown) => {
    if (!isObject(entry) || typeof entry['source'] !== 'string') return []
    const root = path.resolve(top, entry['source'])
    return isInside(folder, root) ? placesOf(root, entry) : []
  })
}

function readManifest(file: string): Manifest | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    // Reading a pipe would block forever.
    if (stats?.isFile() !== true || stats.size > maxManifestSize) return undefined
    const text = readFileSync(file, 'utf8')
    const manifest: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return isObject(manifest) ? manifest : undefined
  } catch {
    return undefined
  }
}
