/** Calls the listener once when the signal fires, or at once if it has fired. */
export function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}
