/** The limit that a command exceeded. */
export interface ExceededLimit {
  readonly kind: 'memory' | 'processes' | 'file_size' | 'machine_memory'
  /** The value of the limit: MiB, or a number of processes. For `machine_memory`, the remaining MiB. */
  readonly value: number
}

/** One sentence for the model and for people. */
export function describeLimit({ kind, value }: ExceededLimit): string {
  const number = value.toLocaleString('en-US')
  const sentences: { readonly [kind in ExceededLimit['kind']]: string } = {
    memory: `The command used more than ${number} MiB of memory (limit commands.memoryMegabytes). Cadre stopped it and everything it had started.`,
    processes: `The command ran more than ${number} processes at once (limit commands.processes). Cadre stopped it and everything it had started.`,
    file_size: `The command wrote a file of more than ${number} MiB (limit commands.fileMegabytes). Cadre stopped it.`,
    machine_memory: `Only ${number} MiB of this machine's memory were left, and this command used the most. Cadre stopped it and everything it had started.`,
  }
  return sentences[kind]
}
