import fs from 'node:fs'

/**
 * One append-only file for all agents. Appends of one turn of the event loop share a write and an `fdatasync`; the promise
 * resolves when the lines would survive a power loss.
 */
export function openJournal(path) {
  const file = fs.openSync(path, 'a')
  let pending = []
  let group

  return function append(line) {
    pending.push(line)
    group ??= new Promise((resolve, reject) => setImmediate(flush, resolve, reject))
    return group
  }

  function flush(resolve, reject) {
    const lines = pending.join('')
    pending = []
    group = undefined
    fs.writeSync(file, lines)
    fs.fdatasync(file, (error) => (error ? reject(error) : resolve()))
  }
}
