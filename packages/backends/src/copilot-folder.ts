import path from 'node:path'

/** Where Cadre installs the packages of Copilot, as npm's `--prefix`. */
export function copilotFolder(env: { readonly [name: string]: string | undefined }): string {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? path.parse(process.cwd()).root
  const data =
    absolute(env['XDG_DATA_HOME']) ?? absolute(env['LOCALAPPDATA']) ?? path.join(home, '.local', 'share')
  return path.join(data, 'cadre', 'copilot')
}

/** A relative path in such a variable is ignored, as the specification of these folders says. */
export function absolute(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined
}
