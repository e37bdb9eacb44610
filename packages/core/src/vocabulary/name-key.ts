/** The key by which agent names are compared: case-insensitive, like file names on some systems, and independent of Unicode composition. */
export function nameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase()
}
