import { existsSync } from 'node:fs'

const places = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash']

/** Bash, if it exists. At its fixed path, because a workspace can influence PATH. */
export function shellProgram(): string {
  return places.find((place) => existsSync(place)) ?? '/bin/sh'
}
