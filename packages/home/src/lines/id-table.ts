import { createHash, randomBytes } from 'node:crypto'

const none = 0

/**
 * A set of ids that needs 16 to 32 bytes per id, regardless of its length. The probability of a collision is 2^-64 for each pair. Nobody
 * can construct one, because the hash uses a secret of this process.
 */
export class IdTable {
  private high = new Uint32Array(64)
  private low = new Uint32Array(64)
  private count = 0

  has(id: string): boolean {
    const [high, low] = sumOf(id)
    const at = this.slotOf(high, low)
    return this.high[at] !== none || this.low[at] !== none
  }

  add(id: string): void {
    const [high, low] = sumOf(id)
    if (!this.put(high, low)) return
    this.count++
    if (this.count * 2 > this.high.length) this.grow()
  }

  private put(high: number, low: number): boolean {
    const at = this.slotOf(high, low)
    if (this.high[at] !== none || this.low[at] !== none) return false
    this.high[at] = high
    this.low[at] = low
    return true
  }

  /** Returns the slot of an id, or the free slot for it. At least half of the slots are free. */
  private slotOf(high: number, low: number): number {
    const mask = this.high.length - 1
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const isFree = this.high[at] === none && this.low[at] === none
      if (isFree || (this.high[at] === high && this.low[at] === low)) return at
    }
  }

  private grow(): void {
    const { high, low } = this
    this.high = new Uint32Array(high.length * 2)
    this.low = new Uint32Array(low.length * 2)
    for (let at = 0; at < high.length; at++) {
      const [oldHigh = none, oldLow = none] = [high[at], low[at]]
      if (oldHigh !== none || oldLow !== none) this.put(oldHigh, oldLow)
    }
  }
}

const secret = randomBytes(16)

function sumOf(id: string): readonly [number, number] {
  const sum = createHash('sha256').update(secret).update(id).digest()
  // Two zeros mark a free slot.
  return [sum.readUInt32LE(0), sum.readUInt32LE(4) || 1]
}
