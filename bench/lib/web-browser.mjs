import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { browserPackages } from '../../scripts/lib/browser-packages.mjs'

const chromium = '/usr/bin/chromium'

/** A headless Chromium, with exact figures of its heap. */
export async function launchBrowser(executablePath = chromium) {
  const load = createRequire(path.join(await browserPackages(), 'package.json'))
  return load('playwright-core').chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--enable-precise-memory-info',
      '--disable-background-networking',
    ],
  })
}

/**
 * A browser as if it ran on another machine: it has a core of its own, and takes only the CPU that nobody else wants. The measured daemon
 * runs on core 0.
 */
export function launchIdleBrowser(folder) {
  const program = path.join(folder, 'idle-chromium')
  fs.writeFileSync(program, `#!/bin/sh\nexec taskset -c 1 chrt --idle 0 ${chromium} "$@"\n`, { mode: 0o755 })
  return launchBrowser(program)
}

/** Opens the page with a link. Resolves when it is live. */
export async function openLive(context, url) {
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('[data-state="live"]').waitFor({ timeout: 120_000 })
  return page
}
