import { setTimeout as pause } from 'node:timers/promises'
import { CadreError } from '@cadre/core'
import { type Home, holdLease } from '@cadre/home'

/** In milliseconds. The first scan of a large folder takes long. */
const timeoutMs = 300_000

/** By home and name: the queue in this process. */
const queues = new Map<string, Promise<unknown>>()

/** Runs `work` exclusively, across processes, for the same name. A dead process does not block others. */
export function withStoreLock<T>(home: Home, name: string, work: () => Promise<T>): Promise<T> {
  const key = `${home.path}\0${name}`
  const mine = (queues.get(key) ?? Promise.resolve()).then(() => runLocked(home, name, work))
  const settled = mine.catch(() => {})
  queues.set(key, settled)
  void settled.then(() => queues.get(key) === settled && queues.delete(key))
  return mine
}

async function runLocked<T>(home: Home, name: string, work: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + timeoutMs; ; ) {
    const attempt = holdLease(home, `.${name}`)
    if (attempt.kind === 'held') {
      try {
        return await work()
      } finally {
        attempt.lease.release()
      }
    }
    if (Date.now() > until) {
      const who = attempt.by === undefined ? 'another process' : `process ${attempt.by.pid}`
      throw new CadreError('owned', `${who} has been using this folder's checkpoints for too long.`)
    }
    await pause(2 + Math.random() * 10)
  }
}
