const maxPathLength = 4096

/**
 * Returns what is wrong with a path, before the file system is accessed. Rejects names that mean something else to the
 * system than to a reader: devices, streams, home directories of users.
 */
export function invalidPathReason(path: string, platform: NodeJS.Platform): string | undefined {
  if (path === '') return 'The path is empty. Use a path relative to the workspace, for example src/main.ts.'
  if (path.includes('\0')) return 'The path contains a NUL character. Use a plain path.'
  if (path.length > maxPathLength)
    return `The path is longer than ${maxPathLength} characters. Use a shorter path.`
  if (path === '~' || /^~[\\/]/.test(path)) {
    return 'The path starts with ~, the home directory, which is outside the workspace. Use a path relative to the workspace.'
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) {
    return 'The path is a URL. Use a path relative to the workspace, for example src/main.ts.'
  }
  return platform === 'win32' ? faultOnWindows(path) : undefined
}

const device = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i

function faultOnWindows(path: string): string | undefined {
  if (/^[\\/]{2}/.test(path))
    return 'The path is a network or device path. Use a path relative to the workspace.'
  const withoutDrive = path.replace(/^[a-z]:[\\/]/i, '')
  if (withoutDrive.includes(':'))
    return 'The path contains a colon, which means a drive or a stream. Use a plain path.'
  for (const name of withoutDrive.split(/[\\/]/)) {
    if (device.test(name.trimEnd())) return `The name ${name} is a device. Use another name.`
    if (name !== '.' && name !== '..' && /[. ]$/.test(name)) {
      return `The name ${JSON.stringify(name)} ends in a dot or a space, which the system would drop. Use another name.`
    }
  }
  return undefined
}
