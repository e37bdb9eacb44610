import { existsSync } from 'node:fs'

const places = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash']

/** Bash where there is one. By its place and not by the path, which a workspace may have a part in. */
export function shellProgram(): string {
  return places.find((place) => existsSync(place)) ?? '/bin/sh'
}
