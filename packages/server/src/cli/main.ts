#!/usr/bin/env node
import manifest from '../../package.json' with { type: 'json' }

// Before anything else is loaded: older versions of Node.js cannot even parse it.
const minimum = manifest.engines.node.replace(/^\D+/, '')
const isTooOld = process.versions.node.localeCompare(minimum, undefined, { numeric: true }) < 0
if (isTooOld) {
  console.error(`wabakit needs Node.js ${minimum} or newer; this is ${process.versions.node}.`)
  process.exitCode = 2
} else {
  await import('./run.ts')
}
