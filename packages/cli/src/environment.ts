import { sealEnvironment } from '@cadre/gate'

/** The environment for whoever needs keys. Programs that are started from here on cannot read keys from this process. */
export function takeEnvironment(): NodeJS.ProcessEnv {
  return sealEnvironment()
}
