const names =
  /(^|\/)(\.env(\.(?!example$|sample$|template$)[^/]*)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)|credentials|[^/]*\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg))$|(^|\/)\.(ssh|aws|gnupg|kube)\//i

/** Files that usually hold keys. An index is one more place where their words would lie, so none of them gets in. */
export function isSecretName(file: string): boolean {
  return names.test(file)
}
