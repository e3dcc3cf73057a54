import { createGroup, start } from '../fixture.ts'
import type { SettingCase, Settings } from './setting-case.ts'

const readPolicy = async (settings: Partial<Settings>, authorization?: string): Promise<string | null> => {
  const { url } = await start(settings)
  return (await createGroup(url, {}, authorization === undefined ? {} : { authorization })).headers.get(
    'ratelimit-policy',
  )
}

export const limitSettings = {
  rateLimitPerOrganization: {
    see: readPolicy,
    cases: [
      [{}, '"organization";q=600;w=60, "key";q=300;w=60'],
      [{ rateLimitPerOrganization: 50 }, '"organization";q=50;w=60, "key";q=300;w=60'],
      [{ rateLimitPerOrganization: 0 }, '"key";q=300;w=60'],
    ],
  },
  rateLimitPerKey: {
    see: readPolicy,
    cases: [
      [{}, '"organization";q=600;w=60, "key";q=300;w=60'],
      [{ rateLimitPerKey: 70 }, '"organization";q=600;w=60, "key";q=70;w=60'],
      [{ rateLimitPerKey: 0 }, '"organization";q=600;w=60'],
    ],
  },
  rateLimitPerAddress: {
    see: (settings) => readPolicy(settings, 'wk_wrong_key_0123456789'),
    cases: [
      [{}, '"ip";q=60;w=60'],
      [{ rateLimitPerAddress: 7 }, '"ip";q=7;w=60'],
      [{ rateLimitPerAddress: 0 }, null],
    ],
  },
  rateLimitPerCall: {
    /** The limit that a refusal names, or `undefined` if none of many requests for one summary is refused. */
    see: async (settings) => {
      const { url } = await start(settings)
      const headers = { authorization: 'wk_test_key_0123456789' }
      const ask = () => fetch(`${url}/v1/call/ai-summary?callId=c1`, { headers })
      const responses = await Promise.all(Array.from({ length: 60 }, ask))
      return responses.find(({ status }) => status === 429)?.headers.get('ratelimit-policy')
    },
    cases: [
      [{}, '"call";q=30;w=60'],
      [{ rateLimitPerCall: 3 }, '"call";q=3;w=60'],
      [{ rateLimitPerCall: 0 }, undefined],
      [{ sandbox: true }, undefined],
    ],
  },
} satisfies Partial<Record<keyof Settings, SettingCase>>
