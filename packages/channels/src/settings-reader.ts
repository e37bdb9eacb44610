import { CadreError, isObject, type JsonObject } from '@cadre/core'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads `channels.<name>` of the configuration key by key. Each error is a `CadreError` that names the key and the expected
 * value.
 */
export interface SettingsReader {
  text(key: string): string | undefined
  needed(key: string): string
  flag(key: string, otherwise: boolean): boolean
  texts(key: string): readonly string[] | undefined
  port(key: string): number
  choice<const V extends string>(key: string, of: readonly V[]): V
  /** Returns the value of the environment variable that `key` names. */
  secret(key: string): string
  /** A nested mapping. */
  part(key: string): SettingsReader | undefined
  has(key: string): boolean
  /** Rejects unknown keys. */
  restrictModels(keys: readonly string[]): void
  fault(key: string, message: string): CadreError
}

export function readSettings(path: string, given: JsonObject, environment: Environment): SettingsReader {
  const fault = (key: string, message: string) =>
    new CadreError('configuration', message, { where: `config.yaml: ${path}${key === '' ? '' : `.${key}`}` })
  const written = (key: string) => (Object.hasOwn(given, key) ? (given[key] ?? undefined) : undefined)
  const reader: SettingsReader = {
    fault,
    has: (key) => written(key) !== undefined,
    text(key) {
      const value = written(key)
      if (value === undefined) return undefined
      if (typeof value !== 'string' || value.trim() === '') throw fault(key, 'This must be a string.')
      return value.trim()
    },
    needed(key) {
      const value = reader.text(key)
      if (value === undefined) throw fault(key, 'This key is required.')
      return value
    },
    flag(key, otherwise) {
      const value = written(key)
      if (value === undefined) return otherwise
      if (typeof value !== 'boolean') throw fault(key, 'This must be true or false.')
      return value
    },
    texts(key) {
      const value = written(key)
      if (value === undefined) return undefined
      if (!Array.isArray(value) || !value.every((one) => typeof one === 'string' && one.trim() !== ''))
        throw fault(key, 'This must be a list of strings.')
      return value.map((one: string) => one.trim())
    },
    port(key) {
      const value = written(key)
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > 65_535)
        throw fault(key, 'This must be a port number, 1 to 65535.')
      return value
    },
    choice(key, of) {
      const value = reader.needed(key)
      const found = of.find((one) => one === value)
      if (found === undefined) throw fault(key, `This must be one of: ${of.join(', ')}.`)
      return found
    },
    secret(key) {
      const name = reader.needed(key)
      // If the secret itself is in the file, the message must not contain it.
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name))
        throw fault(key, 'This must be the name of an environment variable, not the secret itself.')
      const value = environment[name]
      if (value === undefined || value.trim() === '')
        throw fault(key, `The environment variable ${name} is not set. Set it where you start cadre.`)
      return value.trim()
    },
    part(key) {
      const value = written(key)
      if (value === undefined) return undefined
      if (!isObject(value)) throw fault(key, 'This must be a mapping of keys to values.')
      return readSettings(`${path}.${key}`, value, environment)
    },
    restrictModels(keys) {
      const unknown = Object.keys(given).find((key) => !keys.includes(key))
      if (unknown !== undefined)
        throw fault(unknown.slice(0, 80), `This key is unknown. Known keys: ${keys.join(', ')}.`)
    },
  }
  return reader
}
