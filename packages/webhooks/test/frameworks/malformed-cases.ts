import { expect, it } from 'vitest'
import { type Fault, malformedRequests, sendBytes, statusOf } from '../malformed-requests.ts'
import { signed, summary } from '../signed.ts'
import { recording, type Start } from './framework-cases.ts'

/** The statuses that a framework itself may respond with, besides those of the receiver. */
export type MalformedOptions = { readonly alsoAllowed?: readonly number[] }

const expected: Record<Fault, readonly (number | undefined)[]> = {
  method: [405],
  target: [400],
  syntax: [400, 417, 431, undefined],
  body: [400, 401],
  // Nothing of it is signed.
  nothing: [401],
}

/** What a receiver must do with requests that are malformed, behind a server that routes every path to it. */
export const malformedCases = (start: Start, { alsoAllowed = [] }: MalformedOptions = {}): void => {
  it.each(malformedRequests)(
    'responds to a stranger who sends $name, and goes on',
    async ({ fault, bytes }) => {
      const { receiver, events } = recording()
      const url = await start(receiver)
      const status = statusOf(await sendBytes(Number(new URL(url).port), bytes))
      expect([...expected[fault], ...alsoAllowed]).toContain(status)
      expect((await fetch(url, await signed(summary))).status).toBe(200)
      expect(events).toEqual([summary])
    },
  )
}
