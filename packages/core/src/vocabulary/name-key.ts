/** Names of agents are compared by this: without case, as the files they stand in are, and however a letter is composed. */
export function nameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase()
}
