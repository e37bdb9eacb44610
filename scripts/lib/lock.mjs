// One process at a time installs or builds. The lock is a file with its owner's process id. It is created with a hard link,
// so a reader never sees it half written. A lock of a dead owner is taken over.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { say } from './run.mjs'

export async function withLock(file, work) {
  await take(file)
  const release = () => rmSync(file, { force: true })
  process.on('exit', release)
  try {
    return await work()
  } finally {
    process.off('exit', release)
    release()
  }
}

async function take(file) {
  const mine = `${file}-${process.pid}`
  writeFileSync(mine, String(process.pid))
  try {
    let told = false
    while (!link(mine, file)) {
      const owner = readOwner(file)
      if (owner !== undefined && !alive(owner)) {
        rmSync(file, { force: true })
        continue
      }
      if (!told) say(`Waiting for process ${owner ?? '?'}, which is installing or building…`)
      told = true
      await delay(200)
    }
  } finally {
    rmSync(mine, { force: true })
  }
}

function link(from, to) {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function readOwner(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
