import path from 'node:path'

/** The folder for Copilot packages, as npm's `--prefix`. */
export function copilotFolder(env: { readonly [name: string]: string | undefined }): string {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? path.parse(process.cwd()).root
  const data =
    absoluteOrUndefined(env['XDG_DATA_HOME']) ??
    absoluteOrUndefined(env['LOCALAPPDATA']) ??
    path.join(home, '.local', 'share')
  return path.join(data, 'cadre', 'copilot')
}

/** Relative paths in such variables are ignored, as the XDG specification requires. */
export function absoluteOrUndefined(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined
}
