import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationInput, ReferenceServer } from '@wabakit/core'
import { createMock } from '@wabakit/mock'
import { onTestFinished } from 'vitest'
import { acme, control, createGroup, start } from './fixture.ts'

type Settings = Pick<OrganizationInput, 'callSummaries'>

type Opened = {
  readonly url: string
  readonly service: ReferenceServer
  /** The organization's key, and its two numbers. */
  readonly key: string
  readonly wabaNumber: string
  readonly pstnNumber: string
  /** Returns the time of the host, as Unix time in milliseconds. */
  now(): number
  /** Lets time pass on the clock of the host. */
  pass(ms: number): Promise<void>
}

const openServer = async (settings: Settings = {}): Promise<Opened> => {
  const { url, service } = await start({ organizations: [{ ...acme, ...settings }] })
  const [wabaNumber, pstnNumber, key] = ['+15550100001', '+15550100002', 'wk_test_key_0123456789']
  return { url, service, key, wabaNumber, pstnNumber, now: Date.now, pass: async (ms) => sleep(ms) }
}

const openMock = async (settings: Settings = {}): Promise<Opened> => {
  const mock = await createMock({ port: 0, ...settings })
  onTestFinished(mock.close)
  const { url, server: service, apiKey: key, wabaNumber, pstnNumber, clock } = mock
  return { url, service, key, wabaNumber, pstnNumber, now: clock.now, pass: clock.advance }
}

const defineHost = (
  name: string,
  organizationId: string,
  openHost: (settings?: Settings) => Promise<Opened>,
) => ({
  name,
  organizationId,
  /** The path of the organization in the control API. */
  root: `/organizations/${organizationId}`,
  open: async (settings?: Settings) => {
    const opened = await openHost(settings)
    const { url, key, wabaNumber } = opened
    return {
      ...opened,
      /** Creates a group of the organization through the public API. */
      createGroup: (body: object = {}, headers: Record<string, string> = {}) =>
        createGroup(url, { wabaNumber, ...body }, { authorization: key, ...headers }),
      /** Creates a subscription to the WhatsApp number, or to `more.number`, through the control API. */
      subscribe: (to: string, more: object = {}) =>
        control(opened, `POST /organizations/${organizationId}/subscriptions`, {
          ...{ channel: 'WHATSAPP', number: wabaNumber, url: to },
          ...more,
        }),
    }
  },
})

/** The hosts of the control API, each with an organization of which nothing is stored yet. */
export const hosts = [
  defineHost('a server', 'acme', openServer),
  defineHost('a mock', 'org_0', openMock),
] as const

/** Waits for a later millisecond on the clock of a host, and returns its time. */
export const nextMillisecond = async ({ now, pass }: Pick<Opened, 'now' | 'pass'>): Promise<string> => {
  const time = now() + 1
  while (now() < time) await pass(1)
  return new Date(time).toISOString()
}
