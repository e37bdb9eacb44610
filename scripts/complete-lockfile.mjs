// Run this after `npm install` changes the lockfile: npm omits optional packages of other platforms, and `npm ci` then
// reports that the lockfile is out of sync. The parent package pins the version of each, so its entry can be derived,
// without a checksum.
import { readFileSync, writeFileSync } from 'node:fs'
import { fromRoot, say } from './lib/run.mjs'

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]
const libraries = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' }

const file = fromRoot('package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
const added = {}
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`
    if (!(key in lock.packages) && /^\d/.test(version)) added[key] = entryOf(name, version, parent)
  }
}
const names = Object.keys(added)
if (names.length > 0) {
  const sorted = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => a.localeCompare(b, 'en'))
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
}
say(names.length === 0 ? 'The lockfile is complete.' : `Added to the lockfile: ${names.join(', ')}`)

// The platform is in the package name, as in `binding-linux-arm64-musl`.
function entryOf(name, version, parent) {
  const words = name.split(/[/-]/)
  const cpu = words.filter((word) => processors.includes(word))
  const os = words.filter((word) => systems.includes(word))
  const libc = os.includes('linux') ? words.flatMap((word) => libraries[word] ?? []) : []
  if (cpu.length !== 1 || (os.length !== 1 && cpu[0] !== 'wasm32')) {
    throw new Error(`${name} does not say which platform it is for: add it to the lockfile by hand.`)
  }
  return {
    version,
    cpu,
    ...(parent.dev && { dev: true }),
    ...(libc.length > 0 && { libc }),
    ...(parent.license && { license: parent.license }),
    optional: true,
    ...(os.length > 0 && { os }),
  }
}
