// Gives a test access to the extension host: it posts the text of a function to the socket CADRE_TEST_BRIDGE, which runs
// here with `vscode` and its arguments. The socket is in a folder that only the test's user may enter.
const { rmSync } = require('node:fs')
const http = require('node:http')
const vscode = require('vscode')

exports.serveBridge = async () => {
  const server = http.createServer((request, response) => {
    void settle(request).then((answer) => response.end(answer))
  })
  server.requestTimeout = 0
  const socket = process.env.CADRE_TEST_BRIDGE
  // A reload of the window starts a new host while the old one may still be running. The server is never closed, because
  // that would remove the socket of the next host.
  rmSync(socket, { force: true })
  await new Promise((resolve, reject) => server.once('error', reject).listen(socket, resolve))
}

async function settle(request) {
  try {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { source, args } = JSON.parse(Buffer.concat(chunks).toString())
    const work = new Function(`return (${source})`)()
    return JSON.stringify({ value: await work(vscode, ...args) })
  } catch (error) {
    const { name, message = String(error), code } = error ?? {}
    return JSON.stringify({ error: { name, message, code } })
  }
}
