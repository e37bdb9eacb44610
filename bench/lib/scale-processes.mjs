import { fork } from 'node:child_process'
import path from 'node:path'

/** Starts a process with an engine, and registers it at the server. `address`: a load balancer in front of it. */
export async function startScaleWorker(config, server, address) {
  const program = path.join(import.meta.dirname, 'scale-worker.mjs')
  const child = fork(program, [JSON.stringify({ ingress: server.ingress, ...config })], {
    execArgv: ['--expose-gc'],
  })
  const listeners = new Set()
  child.on('message', (message) => {
    for (const listener of listeners) listener(message)
  })
  const next = (kind) =>
    new Promise((resolve, reject) => {
      const exited = (code) => reject(new Error(`${config.engine} ended with ${code}`))
      const listener = (message) => {
        if (message.kind !== kind) return
        listeners.delete(listener)
        child.off('exit', exited)
        resolve(message)
      }
      listeners.add(listener)
      child.once('exit', exited)
    })
  const { url } = await next('ready')
  if (url !== undefined && address === undefined) await server.register(url)
  const ask = (message, kind) => {
    const answer = next(kind)
    child.send(message)
    return answer
  }
  return {
    url,
    /** Runs trees to their end, and measures them. */
    run: (plans) => ask({ kind: 'run', plans }, 'done'),
    usage: () => ask({ kind: 'usage' }, 'usage'),
    onEnded(listener) {
      const own = (message) => message.kind === 'ended' && listener(message.root)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve)
        child.disconnect()
      }),
  }
}
