import { mkdir, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { servePage } from '../../src/page/serve-page.ts'
import { start } from '../fixture.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const token = 'a-token-of-some-length'
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

/** Sends a request with headers that fetch does not allow. */
const get = (url: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    httpRequest(url, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })

const buildPage = async (): Promise<string> => {
  const folder = temporaryFolder()
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<!doctype html>')
  await writeFile(join(folder, 'secret.js'), 'secret')
  await writeFile(join(folder, 'assets/index-a1.js'), 'run()')
  return folder
}

test.each(['/', '/deliveries', '/nonsense', '/assets'])('serves the page at the path %j', async (path) => {
  const response = await servePage(path, await buildPage())

  expect(await response.text()).toBe('<!doctype html>')
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
})

test.each([
  ['', 'inspector/'],
  ['/deliveries/', '../'],
  ['/assets/../secret.js', '../../'],
  ['/assets/%2e%2e%2fsecret.js', '../'],
])('redirects the path %j to a path whose relative URLs lead to its files', async (path, location) => {
  const response = await servePage(path, await buildPage())
  expect([response.status, response.headers.get('location')]).toEqual([302, location])
})

test('serves the files of the page with their types', async () => {
  const folder = await buildPage()
  const script = await servePage('/assets/index-a1.js', folder)

  expect(await script.text()).toBe('run()')
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect((await servePage('/', folder)).headers.get('cache-control')).toBe('no-cache')
  expect((await servePage('/assets/other.js', folder)).status).toBe(404)
})

test('explains how to build the page if it is missing', async () => {
  const response = await servePage('/', temporaryFolder())

  expect(response.status).toBe(404)
  expect(await response.text()).toContain('npm run build -w @wabakit/inspector')
})

test('allows only its own scripts and styles, and nothing inline', async () => {
  const { url } = await start()
  const policy = (await fetch(`${url}/_wabakit/inspector/deliveries`)).headers.get('content-security-policy')

  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
})

test('opens from links on other sites, but for no other requests from them', async () => {
  const { url } = await start()
  const page = `${url}/_wabakit/inspector`

  expect(await get(page, link)).not.toBe(403)
  expect(await get(page, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403)
  expect(await get(page, { ...link, 'sec-fetch-dest': 'iframe' })).toBe(403)
  expect(await get(page, { ...link, host: 'attacker.example' })).toBe(403)
})

test('needs no token for the page itself, because it contains nothing', async () => {
  const { url } = await start({ controlToken: token })

  expect(await get(`${url}/_wabakit/inspector`, { host: 'wabakit:4100' })).not.toBe(401)
  expect(await get(`${url}/_wabakit/organizations`, {})).toBe(401)
})

test('redirects a browser from the root to the inspector if it may use the control API', async () => {
  const open = await start()
  const closed = await start({ controlToken: token })
  const visit = (url: string, headers: Record<string, string>) => fetch(url, { headers, redirect: 'manual' })

  const response = await visit(open.url, browser)
  expect([response.status, response.headers.get('location')]).toEqual([302, '_wabakit/inspector/'])
  expect((await visit(open.url, { accept: 'application/json' })).status).toBe(404)
  expect((await visit(closed.url, browser)).status).toBe(404)
})
