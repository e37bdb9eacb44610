import {
  linkSync,
  lstatSync,
  lutimesSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { CadreError, stopGrace } from '@cadre/core'
import {
  hasCode,
  heartbeatLimit,
  isAlive,
  ownerOnly,
  type ProcessIdentity,
  readRegularFile,
  systemErrorCode,
  unlinkIfExists,
} from '@cadre/disk'
import type { Home } from '../home/home.ts'

/** How long a process that was wrongly considered dead may still act: until its next heartbeat, plus the time for its tools to stop. */
const noticeLimit = heartbeatLimit / 3 + stopGrace
const takenOverEnding = '.taken-over'

/** Leases and cards that this process no longer needs and could not remove, by path. */
const unreleasedFiles = new Map<string, string>()

/**
 * Owns `storage/leases`, which records which process runs which tree of sessions. Called only by the engine, and only synchronously.
 *
 * 1. A lease is a hard link to the card of its process, so it appears atomically, and touching the card is the heartbeat of all its leases.
 * 2. An existing lease is replaced only by the process that holds the takeover right: a file named after the dead holder, created like a
 *    lease. That process then reads the lease again, and replaces it only if the dead process still holds it. So exactly one of several
 *    processes gets it.
 * 3. If the process with the takeover right dies as well, another takeover file is named after that process.
 * 4. A tree that was taken from another machine has a `.taken-over` file, because its former process may not have noticed yet. The file
 *    remains when the lease is released, so that the next holder waits as well.
 */
export class Leases {
  private readonly home: Home
  private readonly self: ProcessIdentity
  private readonly held = new Set<string>()
  private card: string | undefined
  private timer: NodeJS.Timeout | undefined
  private lastBeat = 0
  /** When this process's trees were taken over from processes that are only assumed to be dead. */
  private readonly takenOver = new Map<string, number>()
  /** Called when another process has taken a tree from this one. */
  onLost: (root: string) => void = () => {}

  constructor(home: Home, self: ProcessIdentity) {
    this.home = home
    this.self = self
  }

  holds(root: string): boolean {
    return this.held.has(root)
  }

  /** Takes the lease, or throws `owned`. Returns true if this process did not hold it before. */
  acquire(root: string): boolean {
    if (this.held.has(root)) return false
    this.begin()
    const path = this.path(root)
    for (;;) {
      if (this.claim(path)) break
      const holder = this.holder(path)
      if (holder === undefined) continue
      // It could not be removed when this process released it.
      if (holder.process.token === this.self.token) break
      if (this.lives(holder)) throw owned(root, holder.process, path)
      if (this.replace(root, holder)) break
    }
    this.held.add(root)
    unreleasedFiles.delete(path)
    const mark = lstatSync(this.takenOverPath(root), { throwIfNoEntry: false })
    if (mark !== undefined) this.takenOver.set(root, mark.mtimeMs)
    return true
  }

  /** Throws `owned` if another process runs the tree. Changes nothing. */
  check(root: string): void {
    if (this.held.has(root)) return
    const path = this.path(root)
    const holder = this.holder(path)
    if (holder !== undefined && this.lives(holder)) throw owned(root, holder.process, path)
  }

  release(root: string): void {
    if (this.noticeDelay(root) === 0) attempt(() => unlinkIfExists(this.takenOverPath(root)))
    this.takenOver.delete(root)
    if (!this.held.delete(root)) return
    this.giveUp(this.path(root))
  }

  /**
   * How long the process that ran a tree before may still act on it, in milliseconds. Undefined if the tree was not taken over from
   * another machine.
   */
  noticeDelay(root: string): number | undefined {
    const since = this.takenOver.get(root)
    if (since === undefined) return undefined
    return Math.min(Math.max(since + noticeLimit - Date.now(), 0), noticeLimit)
  }

  /** Call it after waiting for `noticeDelay`: the wait is over, even if the machine's clock was set back. */
  endNotice(root: string): void {
    if (this.takenOver.has(root)) this.takenOver.set(root, Number.NEGATIVE_INFINITY)
  }

  /** A file that cannot be removed now is removed with the next lease. No other process removes it while this one is alive. */
  private giveUp(path: string): void {
    const { token } = this.self
    try {
      if (this.holder(path)?.process.token === token) unlinkIfExists(path)
      unreleasedFiles.delete(path)
    } catch (error) {
      unreleasedFiles.set(path, token)
      if (systemErrorCode(error) === undefined) throw error
    }
  }

  private removeLeftBehind(): void {
    for (const [path, token] of [...unreleasedFiles])
      attempt(() => {
        if (this.holder(path)?.process.token === token) unlinkIfExists(path)
        unreleasedFiles.delete(path)
      })
  }

  /** Returns whether the process with this token is still running. Its card exists until it has shut down completely. */
  livesStill(token: string): boolean {
    const holder = token === this.self.token ? undefined : this.holder(this.cardOf(token))
    return token === this.self.token || (holder !== undefined && this.lives(holder))
  }

  /**
   * Returns whether this process may still write to a tree. Called before every write, because a process that was suspended for long may
   * have lost its leases.
   */
  renew(root: string): boolean {
    if (Date.now() - this.lastBeat > heartbeatLimit / 2) this.beat()
    return this.held.has(root)
  }

  /** Checks the lease file, regardless of the last heartbeat. If it cannot be read, the lease counts as unchanged. */
  keeps(root: string): boolean {
    try {
      if (this.held.has(root)) this.confirm(root)
    } catch {
      // On a full or read-only disk, no other process can take the lease either.
    }
    return this.held.has(root)
  }

  close(): void {
    clearInterval(this.timer)
    for (const root of [...this.held]) this.release(root)
    if (this.card !== undefined) this.giveUp(this.card)
    this.card = undefined
  }

  private path(root: string): string {
    return this.home.at('storage', 'leases', `${root}.lease`)
  }

  private takenOverPath(root: string): string {
    return `${this.path(root)}${takenOverEnding}`
  }

  private begin(): void {
    if (this.card !== undefined) return
    this.home.folder('storage', 'leases')
    this.removeLeftBehind()
    this.removeLeftovers()
    this.writeCard()
    this.card = this.cardOf(this.self.token)
    this.lastBeat = Date.now()
    this.timer = setInterval(() => this.tryBeat(), heartbeatLimit / 3).unref()
  }

  /** Removes cards only of this machine's processes, because death on other machines is only an assumption. */
  private removeLeftovers(): void {
    const folder = this.home.at('storage', 'leases')
    for (const name of readdirSync(folder)) attempt(() => this.removeLeftover(`${folder}/${name}`))
  }

  private removeLeftover(path: string): void {
    const holder = path.endsWith('.process') ? this.holder(path) : undefined
    if (holder?.process.host === this.self.host && !this.lives(holder)) unlinkIfExists(path)
    if (path.endsWith(takenOverEnding)) this.removeOldMark(path)
  }

  /** Left by a process that released the tree early. The margin is for machines with different clocks. */
  private removeOldMark(mark: string): void {
    const since = lstatSync(mark, { throwIfNoEntry: false })?.mtimeMs
    if (since !== undefined && Date.now() - since > noticeLimit + heartbeatLimit) unlinkIfExists(mark)
  }

  private tryBeat(): void {
    try {
      this.beat()
    } catch {
      // A timer cannot report the error. The next write retries, and fails with the reason.
      this.lastBeat = 0
    }
  }

  /** After a long silence, another process may have taken over leases, so each is checked. */
  private beat(): void {
    const now = Date.now()
    if (this.card === undefined) return
    try {
      utimesSync(this.card, now / 1000, now / 1000)
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error
      this.writeCard()
    }
    if (now - this.lastBeat > heartbeatLimit) for (const held of [...this.held]) this.confirm(held)
    this.lastBeat = now
  }

  /** Written atomically: a lease with an incomplete card would name no process. */
  private writeCard(): void {
    this.home.folder('storage', 'leases')
    const card = this.cardOf(this.self.token)
    try {
      writeFileSync(`${card}.tmp`, JSON.stringify(this.self), { mode: ownerOnly })
      renameSync(`${card}.tmp`, card)
    } catch (error) {
      attempt(() => unlinkIfExists(`${card}.tmp`))
      throw error
    }
  }

  private confirm(root: string): void {
    const path = this.path(root)
    if (this.holder(path)?.process.token !== this.self.token && !this.claim(path)) {
      this.held.delete(root)
      this.takenOver.delete(root)
      this.onLost(root)
    }
  }

  /** Creates `path` as a link to this process's card, if it does not exist. */
  private claim(path: string): boolean {
    try {
      linkSync(this.cardOf(this.self.token), path)
      return true
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false
      if (hasCode(error, 'ENOENT')) {
        // The folder was cleaned up.
        this.writeCard()
        return this.claim(path)
      }
      if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV')) throw error
    }
    try {
      writeFileSync(path, JSON.stringify(this.self), { flag: 'wx', mode: ownerOnly })
      return true
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false
      attempt(() => unlinkIfExists(path))
      throw error
    }
  }

  /** Returns false if another process was faster. Check again then. */
  private replace(root: string, dead: Holder): boolean {
    const path = this.path(root)
    const rights: string[] = []
    const tokens: string[] = []
    for (let holder = dead; ; ) {
      const right = `${path}.${holder.process.token}.takeover`
      rights.push(right)
      tokens.push(holder.process.token)
      if (this.claim(right)) break
      const other = this.holder(right)
      if (other === undefined) return false
      // It could not be removed after a failure.
      if (other.process.token === this.self.token) break
      if (this.lives(other)) throw owned(root, other.process, path)
      holder = other
    }
    try {
      const holder = this.holder(path)
      const isDead = holder !== undefined && tokens.includes(holder.process.token)
      if (isDead) {
        const { host, space } = dead.process
        if (host !== this.self.host || space !== this.self.space) this.markTakenOver(root)
        const mine = `${path}.${this.self.token}`
        this.claim(mine)
        renameSync(mine, path)
      }
      return isDead
    } finally {
      // Also after a failure, as on a full disk: the rights of a live process would keep everybody from trying again.
      for (const right of rights) attempt(() => unlinkIfExists(right))
    }
  }

  /**
   * Written before the lease is replaced: if this process dies then, the next one waits as well. Only the time counts, and no link is
   * followed: the folder may come from somebody else.
   */
  private markTakenOver(root: string): void {
    const mark = this.takenOverPath(root)
    try {
      writeFileSync(mark, '', { flag: 'wx', mode: ownerOnly })
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
    const now = Date.now() / 1000
    lutimesSync(mark, now, now)
  }

  private holder(path: string): Holder | undefined {
    try {
      const process = parse(readRegularFile(path).toString('utf8'), statSync(path).ino)
      return { process, heartbeat: this.heartbeatOf(process, statSync(path).mtimeMs) }
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined
      throw error
    }
  }

  private heartbeatOf(process: ProcessIdentity, atLeast: number): number {
    return Math.max(atLeast, statSync(this.cardOf(process.token), { throwIfNoEntry: false })?.mtimeMs ?? 0)
  }

  private cardOf(token: string): string {
    return this.home.at('storage', 'leases', `${token}.process`)
  }

  private lives(holder: Holder): boolean {
    return isAlive(holder.process, this.self, holder.heartbeat)
  }
}

/** Runs cleanup after a failure that is reported anyway. */
function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // Ignored, see above.
  }
}

interface Holder {
  readonly process: ProcessIdentity
  readonly heartbeat: number
}

/** An incomplete lease names no process. It is respected as long as a silent process would be. */
function parse(text: string, inode: number): ProcessIdentity {
  try {
    const parsed: Partial<ProcessIdentity> | null = JSON.parse(text)
    if (typeof parsed?.token === 'string') return parsed as ProcessIdentity
  } catch {
    // Incomplete: handled below.
  }
  return { token: `unknown-${inode}`, pid: 0, host: 'unknown', boot: 'unknown' }
}

function owned(root: string, { pid, host }: ProcessIdentity, path: string): CadreError {
  const fix = `Stop it with "cadre sessions cancel ${root}", or wait for it to finish.`
  return new CadreError('owned', `session ${root} is already running in process ${pid} on ${host}. ${fix}`, {
    where: path,
  })
}
