import path from 'node:path'

/** The path of a file in the packages that `npm run test:protocols` installs. */
export function protocolProgram(file: string): string {
  const folder = process.env['CADRE_TEST_PROTOCOLS']
  if (folder === undefined) throw new Error('run "npm run test:protocols", which installs the programs')
  return path.join(folder, 'node_modules', file)
}
