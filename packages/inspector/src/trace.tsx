import { openTrace } from '@wabakit/core/trace'
import './styles/index.css'
import { host } from './api/send.ts'
import { openApp } from './shell/app.tsx'

/** Reads the trace that the mock has put into this file. */
const readTrace = async (): Promise<string> => {
  const compressed = Uint8Array.from(atob(document.querySelector('#trace')?.textContent ?? ''), (character) =>
    character.charCodeAt(0),
  )
  return new Response(new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
}

const respond = openTrace(await readTrace())
// The host is in this file and has no address, so the origin of its URLs is made up.
host.fetch = (url, init) => respond(new Request(new URL(url, 'https://trace.invalid'), init))

openApp()
