import { linkSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { CadreError } from '@cadre/core'
import {
  hasCode,
  heartbeatLimit,
  isAlive,
  ownerOnly,
  type ProcessIdentity,
  readRegular,
  systemTrouble,
  unlinkIfThere,
} from '@cadre/disk'
import type { Home } from '../home/open-home.ts'

/** Leases and cards of this process that are not wanted any more and could not be taken away, by their paths. */
const leftBehind = new Map<string, string>()

/**
 * Owns `storage/leases`: which process runs which tree of sessions. Called by the engine alone, and only synchronously.
 *
 * 1. A lease is a hard link to the card of its process, so that it appears whole or not at all, and one touch of the
 *    card is the heartbeat of all leases of the process.
 * 2. A lease that exists is replaced only by the process that holds the right to do so: a file named after the dead
 *    holder, made as a lease is. After getting the right the lease is read again; only if the dead one still holds it,
 *    it is replaced. So of many processes that find it dead exactly one gets it.
 * 3. If the one with the right dies as well, the right to act for it is named after it in turn.
 */
export class Leases {
  private readonly home: Home
  private readonly self: ProcessIdentity
  private readonly held = new Set<string>()
  private card: string | undefined
  private timer: NodeJS.Timeout | undefined
  private lastBeat = 0
  /** When trees were taken from processes that are only assumed to be dead, and may not have noticed yet. */
  readonly assumed = new Map<string, number>()
  /** Called when another process has taken a tree from this one. */
  onLost: (root: string) => void = () => {}

  constructor(home: Home, self: ProcessIdentity) {
    this.home = home
    this.self = self
  }

  holds(root: string): boolean {
    return this.held.has(root)
  }

  /** Takes the lease, or throws `owned`. True when it was not held before. */
  acquire(root: string): boolean {
    if (this.held.has(root)) return false
    this.begin()
    const path = this.path(root)
    for (;;) {
      if (this.claim(path)) break
      const holder = this.holder(path)
      if (holder === undefined) continue
      if (this.lives(holder)) throw owned(root, holder.process, path)
      if (this.replace(root, holder)) break
    }
    this.held.add(root)
    return true
  }

  /** Throws `owned` when another process runs the tree. Changes nothing. */
  check(root: string): void {
    if (this.held.has(root)) return
    const path = this.path(root)
    const holder = this.holder(path)
    if (holder !== undefined && this.lives(holder)) throw owned(root, holder.process, path)
  }

  release(root: string): void {
    this.assumed.delete(root)
    if (!this.held.delete(root)) return
    this.giveUp(this.path(root))
  }

  /** What cannot be taken away now is taken away with the next lease of this process: nobody else would, while it lives. */
  private giveUp(path: string): void {
    const { token } = this.self
    try {
      if (this.holder(path)?.process.token === token) unlinkIfThere(path)
      leftBehind.delete(path)
    } catch (error) {
      leftBehind.set(path, token)
      if (systemTrouble(error) === undefined) throw error
    }
  }

  private takeAwayLeftBehind(): void {
    for (const [path, token] of [...leftBehind])
      attempt(() => {
        if (this.holder(path)?.process.token === token) unlinkIfThere(path)
        leftBehind.delete(path)
      })
  }

  /** Whether the process with this token still runs. Its card stays until it has put everything in order. */
  livesStill(token: string): boolean {
    const holder = token === this.self.token ? undefined : this.holder(this.cardOf(token))
    return token === this.self.token || (holder !== undefined && this.lives(holder))
  }

  /**
   * Whether a tree may still be written; asked before every write. A process that stood still for longer than others
   * wait may have lost its leases meanwhile.
   */
  renew(root: string): boolean {
    if (Date.now() - this.lastBeat > heartbeatLimit / 2) this.beat()
    return this.held.has(root)
  }

  /** Looks at the lease itself, whenever this process was heard of last. What cannot be looked at is believed to be as it was. */
  keeps(root: string): boolean {
    try {
      if (this.held.has(root)) this.confirm(root)
    } catch {
      // A disk that is full or cannot be written: nobody else gets the lease on it either.
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

  private begin(): void {
    if (this.card !== undefined) return
    this.home.folder('storage', 'leases')
    this.takeAwayLeftBehind()
    this.removeDeadCards()
    this.writeCard()
    this.card = this.cardOf(this.self.token)
    this.lastBeat = Date.now()
    this.timer = setInterval(() => this.tryBeat(), heartbeatLimit / 3).unref()
  }

  /** Of processes of this machine; whether others are dead is only assumed. */
  private removeDeadCards(): void {
    const folder = this.home.at('storage', 'leases')
    for (const name of readdirSync(folder)) {
      const holder = name.endsWith('.process') ? this.holder(`${folder}/${name}`) : undefined
      if (holder?.process.host === this.self.host && !this.lives(holder)) unlinkIfThere(`${folder}/${name}`)
    }
  }

  private tryBeat(): void {
    try {
      this.beat()
    } catch {
      // There is nobody to tell here: the next write tries again, and fails with the reason.
      this.lastBeat = 0
    }
  }

  /** After a long silence another process may have taken leases over: each is looked at before this process goes on. */
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

  /** Whole or not at all: a lease with half a card would be that of nobody. */
  private writeCard(): void {
    this.home.folder('storage', 'leases')
    const card = this.cardOf(this.self.token)
    try {
      writeFileSync(`${card}.tmp`, JSON.stringify(this.self), { mode: ownerOnly })
      renameSync(`${card}.tmp`, card)
    } catch (error) {
      attempt(() => unlinkIfThere(`${card}.tmp`))
      throw error
    }
  }

  private confirm(root: string): void {
    const path = this.path(root)
    if (this.holder(path)?.process.token !== this.self.token && !this.claim(path)) {
      this.held.delete(root)
      this.onLost(root)
    }
  }

  /** Makes `path` name this process, if it does not exist. */
  private claim(path: string): boolean {
    try {
      linkSync(this.cardOf(this.self.token), path)
      return true
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false
      if (hasCode(error, 'ENOENT')) {
        // Somebody tidied up the folder.
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
      attempt(() => unlinkIfThere(path))
      throw error
    }
  }

  /** False when somebody else was faster with something: look again. */
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
      if (this.lives(other)) throw owned(root, other.process, path)
      holder = other
    }
    const holder = this.holder(path)
    const isDead = holder !== undefined && tokens.includes(holder.process.token)
    if (isDead) {
      const { host, space } = dead.process
      if (host !== this.self.host || space !== this.self.space) this.assumed.set(root, Date.now())
      const mine = `${path}.${this.self.token}`
      this.claim(mine)
      renameSync(mine, path)
    }
    for (const right of rights) unlinkIfThere(right)
    return isDead
  }

  private holder(path: string): Holder | undefined {
    try {
      const process = parse(readRegular(path).toString('utf8'), statSync(path).ino)
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

/** On the way out of a failure that is told anyway. */
function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // As above.
  }
}

interface Holder {
  readonly process: ProcessIdentity
  readonly heartbeat: number
}

/** A lease that was not written whole names nobody; it is believed for as long as a silent process is. */
function parse(text: string, inode: number): ProcessIdentity {
  try {
    const parsed: Partial<ProcessIdentity> | null = JSON.parse(text)
    if (typeof parsed?.token === 'string') return parsed as ProcessIdentity
  } catch {
    // Not whole: as below.
  }
  return { token: `unknown-${inode}`, pid: 0, host: 'unknown', boot: 'unknown' }
}

function owned(root: string, { pid, host }: ProcessIdentity, path: string): CadreError {
  const fix = `Stop it with "cadre sessions cancel ${root}", or wait for it to finish.`
  return new CadreError('owned', `session ${root} is already running in process ${pid} on ${host}. ${fix}`, {
    where: path,
  })
}
