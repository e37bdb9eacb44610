/** Keeps the start and the end of a command's output: the cause tends to be at one, the result at the other. */
export interface HeadTailBuffer {
  add(bytes: Buffer): void
  /** The total number of bytes received. */
  readonly total: number
  readonly cut: boolean
  text(): string
}

export function createHeadTailBuffer(max: number): HeadTailBuffer {
  const half = Math.max(1, Math.floor(max / 2))
  const head: Buffer[] = []
  let tail: Buffer[] = []
  let headSize = 0
  let tailSize = 0
  let total = 0
  return {
    add(bytes) {
      total += bytes.length
      const first = bytes.subarray(0, half - headSize)
      if (first.length > 0) {
        head.push(first)
        headSize += first.length
      }
      const rest = bytes.subarray(first.length)
      if (rest.length === 0) return
      tail.push(rest)
      tailSize += rest.length
      // Joined only occasionally: cutting after every small chunk would be slow.
      if (tailSize > half * 2) {
        tail = [Buffer.concat(tail).subarray(-half)]
        tailSize = tail[0]?.length ?? 0
      }
    },
    get total() {
      return total
    },
    get cut() {
      return total > headSize + Math.min(tailSize, half)
    },
    text() {
      const end = Buffer.concat(tail).subarray(-half)
      const missing = total - headSize - end.length
      if (missing === 0) return Buffer.concat([...head, end]).toString('utf8')
      const note = `\n[${missing} bytes omitted]\n`
      return `${wholeLetters(Buffer.concat(head))}${note}${wholeLetters(end)}`
    },
  }
}

/** Drops partial characters that the cut left at both ends. */
function wholeLetters(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd{1,3}|\ufffd{1,3}$/g, '')
}
