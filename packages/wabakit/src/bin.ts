#!/usr/bin/env node

// Not a dependency: it is used if the user has installed it.
const server = '@wabakit/server'

const findServer = (): string | undefined => {
  try {
    return import.meta.resolve(`${server}/package.json`)
  } catch {
    return undefined
  }
}

// The command line belongs to the server. If both packages are installed, npm may link this file as `wabakit`.
const manifest = findServer()
if (manifest === undefined) {
  console.error(`The command line is part of ${server}, which is not installed. Run: npx ${server}`)
  process.exitCode = 2
} else {
  await import(new URL('dist/cli/main.js', manifest).href)
}
