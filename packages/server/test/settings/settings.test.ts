import { expect, test } from 'vitest'
import { type OptionCases, testOptions } from '../../../../tools/option-cases.ts'
import { ConfigError } from '../../src/config/config-error.ts'
import { ServerConfig } from '../../src/config/server-config.ts'
import { checkConfig } from '../../src/serve/check-config.ts'
import { createGroup, listenForWebhooks, start } from '../fixture.ts'
import { accessSettings } from './access-settings.ts'
import { dataSettings } from './data-settings.ts'
import { deliverySettings } from './delivery-settings.ts'
import { limitSettings } from './limit-settings.ts'
import type { SettingCase, Settings } from './setting-case.ts'

// Tests each setting on a running server, with its default and with another value, because no part of the server notices
// that a setting reaches the wrong place. A setting without cases does not compile.
const settings: OptionCases<Settings> = {
  ...accessSettings,
  ...limitSettings,
  ...deliverySettings,
  ...dataSettings,
}

testOptions<Settings>('a server', settings)

test('every setting of the schema has cases', () => {
  expect(Object.keys(settings).toSorted()).toEqual(Object.keys(ServerConfig.shape).toSorted())
})

test('the connections to endpoints are closed with the server', async () => {
  const endpoint = await listenForWebhooks()
  const server = await start()
  const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: endpoint.url } as const
  await server.service.subscriptions.create('acme', subscription)
  await createGroup(server.url)
  await endpoint.arrived(1)
  await expect.poll(endpoint.countConnections).toBe(1)
  await server.close()
  // An idle connection would stay open for two minutes.
  await expect.poll(endpoint.countConnections).toBe(0)
})

test('settings that need or exclude another one are refused with the remedy, and all other pairs are not', async () => {
  /** Returns the message of the error. */
  const check = async (given: Partial<Settings>): Promise<string | undefined> => {
    try {
      await checkConfig(ServerConfig.parse(given))
      return undefined
    } catch (error) {
      if (error instanceof ConfigError) return error.message
      throw error
    }
  }
  // The cases use addresses that only this machine can reach.
  const exposed: Record<string, unknown> = { host: '0.0.0.0', operationsUrl: 'https://operator.example/' }
  const alone: Record<string, string> = {}
  const entries: (readonly [name: string, given: Partial<Settings>, refusal: string | undefined])[] = []
  for (const [name, { cases }] of Object.entries<SettingCase>(settings)) {
    const [own = {}] = cases.find(([given]) => name in given) ?? []
    // With the settings that the case of another one adds, it would not be alone.
    const given = { [name]: exposed[name] ?? own[name as keyof Settings] }
    const refusal = await check(given)
    if (refusal !== undefined) alone[name] = refusal
    entries.push([name, given, refusal])
  }
  const pairs: Record<string, string | undefined> = {}
  for (const [index, [name, given, refusal]] of entries.entries()) {
    for (const [other, beside, otherRefusal] of entries.slice(index + 1)) {
      const seen = await check({ ...given, ...beside })
      if (
        seen === undefined ? (refusal ?? otherRefusal) !== undefined : ![refusal, otherRefusal].includes(seen)
      )
        pairs[`${name}, ${other}`] = seen ?? 'fits'
    }
  }
  const needsToken = (reason: string) =>
    expect.stringMatching(
      `^controlToken .* is required because ${reason}.* Set WABAKIT_CONTROL_TOKEN to at least 16 `,
    )
  expect({ alone, pairs }).toEqual({
    alone: {
      host: needsToken('host is 0.0.0.0'),
      publicUrl: needsToken('publicUrl'),
      trustProxy: needsToken('trustProxy'),
      live: expect.stringMatching(/^live .* needs --profile live/),
      profile: expect.stringMatching(/^profile .* can only be live with --sandbox/),
      role: expect.stringMatching(/^role .* can only be api with a PostgreSQL database/),
      operationsUrl: expect.stringMatching(/^operationsSecret .* Set WABAKIT_OPERATIONS_SECRET /),
    },
    pairs: {
      'host, controlToken': 'fits',
      'controlToken, publicUrl': 'fits',
      'controlToken, trustProxy': 'fits',
      'operationsUrl, operationsSecret': 'fits',
      'sandbox, profile': 'fits',
      'allowPrivateTargets, webhookUrl': expect.stringMatching(/^webhookUrl /),
    },
  })
})
