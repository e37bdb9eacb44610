import { readFileSync } from 'node:fs'

const defaults = { port: 8080, name: 'beacon' }

/** The settings of the file, merged over the defaults. */
export function readSettings(file = process.env.BEACON_SETTINGS ?? 'settings.json') {
  try {
    return { ...defaults, ...JSON.parse(readFileSync(file, 'utf8')) }
  } catch {
    return defaults
  }
}
