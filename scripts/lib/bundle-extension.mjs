import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { libraries } from './bundle-libraries.mjs'
import { bundledParsers, copyAssets, findAssets, ours, requireLazily } from './bundle-plugins.mjs'
import { fromRoot } from './run.mjs'
import { thirdPartyNotices } from './third-party-notices.mjs'

const source = fromRoot('packages', 'vscode')

/** The folder of the extension as it is packaged and installed. */
export const extensionFolder = path.join(source, 'dist', 'extension')

/**
 * Bundles the extension into a separate folder: few files, nothing to install. Code that activation does not need is in
 * other files.
 */
export async function bundleExtension() {
  rmSync(extensionFolder, { recursive: true, force: true })
  mkdirSync(extensionFolder, { recursive: true })
  const chunks = [...(await bundleHost()), ...(await bundlePage())]
  writeFileSync(path.join(extensionFolder, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(chunks))
  copyFiles()
  writeManifest(await writeChatAgents())
}

async function bundleHost() {
  const bundle = await rolldown({
    input: { extension: path.join(source, 'dist', 'index.js') },
    platform: 'node',
    resolve: {
      alias: {
        ...Object.fromEntries(Object.entries(libraries()).map(([name, dist]) => [name, `${dist}/index.js`])),
        ...bundledParsers,
      },
    },
    external: ['vscode', /^node:/, '@vscode/ripgrep'],
    checks: { ineffectiveDynamicImport: false },
    treeshake: { moduleSideEffects: (id) => !ours.test(id) },
    plugins: [requireLazily, findAssets],
  })
  const { output } = await bundle.write({
    dir: path.join(extensionFolder, 'out'),
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  })
  await bundle.close()
  return output
}

async function bundlePage() {
  const bundle = await rolldown({
    input: { 'settings-page': fromRoot('packages', 'settings-page', 'dist', 'main.js') },
    platform: 'browser',
  })
  const { output } = await bundle.write({
    dir: path.join(extensionFolder, 'out'),
    format: 'iife',
    minify: true,
  })
  await bundle.close()
  const style = fromRoot('packages', 'settings-page', 'src', 'page.css')
  cpSync(style, path.join(extensionFolder, 'out', 'settings-page.css'))
  return output
}

function copyFiles() {
  copyAssets(path.join(extensionFolder, 'out'))
  cpSync(path.join(source, 'media'), path.join(extensionFolder, 'media'), { recursive: true })
  for (const file of ['README.md']) cpSync(path.join(source, file), path.join(extensionFolder, file))
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(fromRoot(file), path.join(extensionFolder, file))
}

/** Writes the built-in agents for VS Code's own agent mode. Returns their manifest entries. */
async function writeChatAgents() {
  // `register-chat-agents.ts` installs the hooks of these agents from there. Without them, the agents could use no tool.
  readdirSync(path.join(extensionFolder, 'out', 'assets', 'gate', 'hooks', 'scripts'))
  const { chatAgentFiles } = await import(
    pathToFileURL(path.join(source, 'dist', 'chat-agents', 'chat-agent-files.js'))
  )
  mkdirSync(path.join(extensionFolder, 'agents'))
  return chatAgentFiles().map(({ file, text }) => {
    writeFileSync(path.join(extensionFolder, 'agents', file), text)
    return { path: `./agents/${file}` }
  })
}

/** Omits what only the repository needs. */
function writeManifest(chatAgents) {
  const {
    dependencies: _,
    exports: __,
    type: ___,
    private: ____,
    repository: _____,
    ...manifest
  } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'))
  manifest.contributes = { ...manifest.contributes, chatAgents }
  writeFileSync(path.join(extensionFolder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
