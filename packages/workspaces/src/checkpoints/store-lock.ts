import { setTimeout as pause } from 'node:timers/promises'
import { CadreError } from '@cadre/core'
import { type Home, holdLease } from '@cadre/home'

/** In milliseconds. The first scan of a large folder takes long. */
const patience = 300_000

/** By home and name: the queue in this process. */
const chains = new Map<string, Promise<unknown>>()

/** Runs `work` exclusively, across processes, for the same name. A dead process does not block others. */
export function withStoreLock<T>(home: Home, name: string, work: () => Promise<T>): Promise<T> {
  const key = `${home.path}\0${name}`
  const mine = (chains.get(key) ?? Promise.resolve()).then(() => locked(home, name, work))
  const settled = mine.catch(() => {})
  chains.set(key, settled)
  void settled.then(() => chains.get(key) === settled && chains.delete(key))
  return mine
}

async function locked<T>(home: Home, name: string, work: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + patience; ; ) {
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
      throw new CadreError('owned', `${who} has been using the checkpoints of this folder for too long.`)
    }
    await pause(2 + Math.random() * 10)
  }
}
