import { createMock, type MockOptions } from '@wabakit/mock'
import { expect, test, vi } from 'vitest'
import { examineServer, type Report, type ServerExamination } from '../../src/index.ts'

vi.setConfig({ testTimeout: 600_000 })

const examine = async (
  options: MockOptions,
  examination: Omit<ServerExamination, 'baseUrl'> = {},
): Promise<Report> => {
  const rateLimit = { ip: { requests: 60, perMs: 60_000 } }
  await using mock = await createMock({ port: 0, clock: 'machine', rateLimit, ...options })
  return await examineServer({
    baseUrl: mock.url,
    wabakitControl: mock.url,
    seed: 17,
    minutes: 0.02,
    retryTimeoutMs: 3_000,
    ...examination,
  })
}

const list = ({ checks }: Report, ...verdicts: readonly string[]): string[] =>
  checks
    .filter(({ verdict }) => verdicts.includes(verdict))
    .map(({ id, verdict, observed }) => `${verdict} ${id}: ${observed}`)

const unknownGroups = { live: { nullFields: ['groupId', 'groupName', 'inviteLink'] } } as const

test.concurrent('allows what a live service publishes', async () => {
  const report = await examine({ profile: 'live' }, { profile: 'live' })
  expect(list(report, 'fail', 'advice', 'skipped')).toEqual([])
  expect(list(report, 'inconclusive').length).toBeLessThan(8)
  expect(report.verdict).toBe('pass')
})

test.concurrent('allows group events without ids and names', async () => {
  const report = await examine({ profile: 'live', ...unknownGroups }, { profile: 'live', timeoutMs: 5_000 })
  expect(list(report, 'fail', 'advice')).toEqual([])
})

test.concurrent('fails a live service without the profile', async () => {
  const report = await examine({ profile: 'live' })
  expect(report.verdict).toBe('fail')
})

test.concurrent('allows a live service no other status than the published one', async () => {
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await globalThis.fetch(url, init)
    return response.status === 403 ? new Response('{}', { status: 500 }) : response
  }
  const only = ['fetch.key.unknown-is-401']
  const report = await examine({ profile: 'live' }, { profile: 'live', only, fetch })
  expect(list(report, 'fail')).toEqual([expect.stringContaining(`${only[0]}: 500`)])
})
