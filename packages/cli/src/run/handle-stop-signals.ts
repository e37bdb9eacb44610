const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type StopSignal = (typeof names)[number]

/** The first signal requests a stop, the second one exits immediately. Returns a function that restores the signals. */
export function handleStopSignals(stop: (name: StopSignal) => void, leave: () => void): () => void {
  let count = 0
  const take = (name: NodeJS.Signals) => {
    count += 1
    if (count === 1) stop(name as StopSignal)
    else leave()
  }
  for (const name of names) process.on(name, take)
  return () => {
    for (const name of names) process.off(name, take)
  }
}
