import { fileURLToPath } from 'node:url'

// Both `src/app` and `dist/bundle` are two folders below the package.

/** The file that starts the command. */
export const commandFile = fileURLToPath(new URL('../../bin/cadre.js', import.meta.url))

/** The files of `cadre demo`. */
export const demoFolder = fileURLToPath(new URL('../../demo/', import.meta.url))
