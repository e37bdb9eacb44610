/**
 * True if a program for `awk` neither starts a program nor opens files: it contains none of the required characters
 * anywhere. A `>` after a `print` may be a comparison, but counts as a file.
 */
export function isSafeAwkProgram(program: string): boolean {
  const signs = /[|@\\]|system|getline|close|fflush|ARG[VC]|ENVIRON|PROCINFO|SYMTAB|FUNCTAB/
  if (signs.test(program.replaceAll('||', '').replace(/\\[ntd./"]/g, ''))) return false
  const print = program.indexOf('print')
  return print < 0 || !program.includes('>', print)
}

/** True if a program for `jq` reads only its input: no modules, no environment. */
export function isSafeJqFilter(program: string): boolean {
  // Blanks and comments can separate the $ from the name.
  if (program.includes('$') && /(?<!\w)ENV(?!\w)/.test(program)) return false
  return !/\$__prog|(?<![\w."$-])(?:env|import|include|modulemeta|get_search_list)(?![\w/-]|\.(?:js|json|ya?ml|txt)\b)/.test(
    program,
  )
}

/** True if a git format starts no program: gpg would check signatures. */
export function isSafeGitFormat(text: string): boolean {
  return !/%[-+ ]*(?:\([^)]*signature|G)/i.test(text)
}
