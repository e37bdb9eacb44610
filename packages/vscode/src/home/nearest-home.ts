import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * Finds the home of a folder, if there is one: the same result as `openHome` for existing homes, without loading the
 * package. A test compares both.
 */
export function nearestHome(folder: string, env: NodeJS.ProcessEnv): string | undefined {
  const chosen = env['CADRE_HOME']
  if (chosen) return folderAt(path.resolve(folder, chosen))
  const own = realPath(env['HOME'] || homedir())
  const above = upward(folder)
  const around = above.find((place) => path.basename(place) === name)
  if (around !== undefined) return around
  const top = above.findIndex((place) => statSync(path.join(place, '.git'), { throwIfNoEntry: false }))
  const places =
    top < 0 ? above.filter((place) => place === folder || realPath(place) !== own) : above.slice(0, top + 1)
  return places.map((place) => folderAt(path.join(place, name))).find((place) => place !== undefined)
}

const name = '.cadre'

function upward(from: string): string[] {
  const above = path.dirname(from)
  return above === from ? [from] : [from, ...upward(above)]
}

function folderAt(place: string): string | undefined {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ? place : undefined
}

function realPath(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return place
  }
}
