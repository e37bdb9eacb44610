const secretName =
  /token|secret|passw(?:or)?d|passphrase|credential|api[-_]?key|access[-_]?key|private[-_]?key|auth|bearer|cookie|(?:^|[-_])(?:pat|pass|pwd)(?:$|[-_])|[-_]key$/i

/** Whether a variable, header or option of this name probably has a secret as its value. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}
