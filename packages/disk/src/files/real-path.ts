import { realpathSync } from 'node:fs'
import path from 'node:path'

/** Where a path really leads. Links are followed as far as the path exists; the rest stays as it is written. */
export function realPathOf(place: string): string {
  const at = path.resolve(place)
  try {
    return realpathSync(at)
  } catch {
    const above = path.dirname(at)
    return above === at ? at : path.join(realPathOf(above), path.basename(at))
  }
}

/** The same, or nothing where nothing is. */
export function realPathIfThere(place: string): string | undefined {
  try {
    return realpathSync.native(place)
  } catch {
    return undefined
  }
}
