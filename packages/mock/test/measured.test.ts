import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock, type MockOptions } from '@wabakit/mock'
import { afterAll, afterEach, expect, test, vi } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'wabakit-profile-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => vi.unstubAllEnvs())

const teapot = {
  version: 1,
  api: {
    'unknown-path': {
      values: [{ value: { status: 418, body: 'empty', fields: {}, headers: [] }, source: 'stated' }],
    },
  },
  deliveries: {},
  events: {},
}

const write = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const getStatus = async (options: MockOptions) => {
  await using mock = await createMock(options)
  return (await mock.fetch(`${mock.url}/none`)).status
}

test('a measured profile is a path, the parsed file, or the path in WABAKIT_PROFILE', async () => {
  const path = write(
    'wabakit.profile.json',
    `\uFEFF${JSON.stringify({ $schema: './schema.json', ...teapot })}`,
  )
  expect(await getStatus({ profile: path })).toBe(418)
  expect(await getStatus({ profile: teapot })).toBe(418)
  expect(await getStatus({ profile: teapot, live: { pstnCalling: false } })).toBe(418)
  vi.stubEnv('WABAKIT_PROFILE', path)
  expect(await getStatus({})).toBe(418)
  expect(await getStatus({ profile: 'live' })).toBe(404)
})

test.each([
  ['lives', 'createMock: profile: "lives" is unknown. Did you mean "live"?'],
  [join(folder, 'none.json'), /createMock: the profile .*none\.json cannot be read: ENOENT/],
  [{ ...teapot, version: 2 }, /^createMock: profile: .*version/],
  [
    { ...teapot, delivery: {} },
    'createMock: profile: "delivery" is unknown. Known names: version, api, deliveries, events.',
  ],
  [{ ...teapot, events: { CALL_LOST: {} } }, /^createMock: profile: .*events.*CALL_LOST/],
])('refuses what is no profile, %#', async (profile, message) => {
  await expect(createMock({ profile })).rejects.toThrow(message)
})
