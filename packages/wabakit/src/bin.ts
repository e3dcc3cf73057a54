#!/usr/bin/env node

// Not a dependency: it is used where the user has installed it.
const server = '@wabakit/server'

const findServer = (): string | undefined => {
  try {
    return import.meta.resolve(`${server}/package.json`)
  } catch {
    return undefined
  }
}

// The command line is the server's. Where both packages are installed, npm may have linked this file as `wabakit`.
const manifest = findServer()
if (manifest === undefined) {
  console.error(`The server and its command line are a package of their own. Run: npx ${server}`)
  process.exitCode = 2
} else {
  await import(new URL('dist/cli/main.js', manifest).href)
}
