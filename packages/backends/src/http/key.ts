import { exec } from 'node:child_process'
import { likelyCause } from './likely-cause.ts'
import type { ServerKind } from './server-kind.ts'

export type FoundKey =
  | { readonly kind: 'key'; readonly key: string | undefined }
  | { readonly kind: 'failed'; readonly message: string }

/** The source of the key. Only this object and request headers contain it. */
export interface KeySource {
  /** For messages: what to check if the key is wrong. */
  readonly advice: string
  /** The key, if it is already known. */
  readonly known: FoundKey | undefined
  find(): Promise<FoundKey>
  /** Discards a rejected key. Returns false if there can be no other. */
  renew(refused: string | undefined): boolean
}

const commandTimeout = 30_000

export function keyFromText(text: string | undefined, kind: ServerKind): KeySource {
  const known =
    text === undefined
      ? ({ kind: 'key', key: undefined } as const)
      : check(text, `${kind.keyVariable} contains`)
  return {
    advice: likelyCause(text === undefined ? 'no-key' : 'key-rejected', kind),
    known,
    find: async () => known,
    renew: () => false,
  }
}

/** Runs the command on first use, once for all concurrent callers. */
export function keyFromCommand(command: string, env: NodeJS.ProcessEnv, kind: ServerKind): KeySource {
  const setting = `${kind.section}.keyCommand`
  let known: FoundKey | undefined
  let running: Promise<FoundKey> | undefined
  return {
    advice: `Check the output of ${setting} in config.yaml.`,
    get known() {
      return known
    },
    find() {
      running ??= readKeyFromCommand(command, env, `The command in ${setting}`).then((found) => {
        if (found.kind === 'key') known = found
        running = undefined
        return found
      })
      return running
    },
    renew(refused) {
      // Another caller may already have renewed it.
      if (known?.kind === 'key' && known.key === refused) known = undefined
      return true
    },
  }
}

/** Resolves with the key; undefined if aborted before. The command continues, because others may wait for it. */
export function findKey(source: KeySource, signal: AbortSignal): Promise<FoundKey | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const stop = () => resolve(undefined)
    signal.addEventListener('abort', stop)
    void source.find().then((found) => {
      signal.removeEventListener('abort', stop)
      resolve(found)
    })
  })
}

/** Runs a command that prints a key. `subject` names the command in messages, which never contain its output. */
export function readKeyFromCommand(
  command: string,
  env: NodeJS.ProcessEnv,
  subject: string,
  signal?: AbortSignal,
): Promise<FoundKey> {
  return new Promise((resolve) => {
    const child = exec(
      command,
      { env, timeout: commandTimeout, windowsHide: true, maxBuffer: 64 * 1024, ...(signal && { signal }) },
      (error, stdout) => {
        // Its output is never shown, because it may be the key.
        if (error === null) resolve(check(stdout, `${subject} printed`))
        else if (error.killed)
          resolve(failed(`${subject} did not finish within ${commandTimeout / 1000} seconds.`))
        else
          resolve(
            failed(
              `${subject} failed (${error.signal ? `signal ${error.signal}` : `exit code ${error.code}`}). Run the command in a terminal to see why.`,
            ),
          )
      },
    )
    // A command that waits for input must not wait for its time limit.
    child.stdin?.end()
  })
}

function check(text: string, source: string): FoundKey {
  const key = text.trim()
  if (key === '') return failed(`${source} no key.`)
  // Anything else is not valid in a header, and is probably an error message instead of a key.
  return /^[\x21-\x7e]+$/.test(key)
    ? { kind: 'key', key }
    : failed(`${source} a key with spaces or other invalid characters.`)
}

function failed(message: string): FoundKey {
  return { kind: 'failed', message }
}
