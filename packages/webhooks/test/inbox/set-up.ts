import type { Inbox } from '@wabakit/webhooks'
import { onTestFinished } from 'vitest'
import { type Context, type Environment, receive, toRequest, toSummary } from './environment.ts'

/** Creates receivers that stop at the end of the test. */
export const createSetUp =
  (environment: () => Environment) =>
  (options: Parameters<typeof receive>[1] = {}) => {
    const set = receive(environment(), options)
    onTestFinished(() => set.receiver.stop())
    return { ...set, send: (body: unknown, id?: string) => set.receiver.handle(toRequest(body, id)) }
  }

export const day = 24 * 3_600_000

/** A clock that a test advances. */
export const createClock = () => {
  let time = Date.UTC(2026, 0, 1)
  return {
    now: () => time,
    advance: (ms: number) => {
      time += ms
    },
  }
}

/** Lets a handler wait for the test. */
export const createGate = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: () => promise, open: resolve }
}

export const readStates = async (inbox: Inbox<Context>) => (await inbox.list()).map(({ state }) => state)

/** A client whose responses a test decides. */
export const createClient = (respond: (callId: string) => unknown) => {
  const asked: string[] = []
  const getSummary = async (callId: string) => {
    asked.push(callId)
    const response = respond(callId)
    if (response instanceof Error) throw response
    return { ...toSummary(callId), ...Object(response) }
  }
  return { asked, calls: { getSummary } }
}

/** Returns an error of the service. */
export const toError = (name: string, status: number) => Object.assign(new Error(name), { name, status })
