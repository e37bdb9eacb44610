const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The first signal asks for a stop, the second one does not wait for it any more. The result gives the signals back. */
export function takeStopSignals(stop: () => void, leave: () => void): () => void {
  let count = 0
  const take = () => {
    count += 1
    if (count === 1) stop()
    else leave()
  }
  for (const name of names) process.on(name, take)
  return () => {
    for (const name of names) process.off(name, take)
  }
}
