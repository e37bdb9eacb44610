/** Pseudo-random choices that depend only on a seed, so that a run can be repeated. */
export class Random {
  #state

  constructor(seed) {
    this.#state = seed >>> 0
  }

  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  below(limit) {
    return Math.floor(this.next() * limit)
  }

  pick(list) {
    return list[this.below(list.length)]
  }

  chance(share) {
    return this.next() < share
  }

  many(count, make) {
    return Array.from({ length: count }, () => make())
  }
}
