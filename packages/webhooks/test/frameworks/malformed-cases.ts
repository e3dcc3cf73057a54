import { expect, it } from 'vitest'
import { type Fault, getStatus, malformedRequests, sendBytes } from '../malformed-requests.ts'
import { signed, summary } from '../signed.ts'
import { recording, type Start } from './framework-cases.ts'

/** The statuses that a framework itself may respond with, besides the receiver's. */
export type MalformedOptions = { readonly alsoAllowed?: readonly number[] }

const expected: Record<Fault, readonly (number | undefined)[]> = {
  method: [405],
  target: [400],
  syntax: [400, 417, 431, undefined],
  body: [400, 401],
  // None of them is signed.
  nothing: [401],
}

/** Receivers must pass these tests with malformed requests, behind a server that routes every path to them. */
export const malformedCases = (start: Start, { alsoAllowed = [] }: MalformedOptions = {}): void => {
  it.each(malformedRequests)(
    'responds to a stranger who sends $name, and keeps running',
    async ({ fault, bytes }) => {
      const { receiver, events } = recording()
      const url = await start(receiver)
      const status = getStatus(await sendBytes(Number(new URL(url).port), bytes))
      expect([...expected[fault], ...alsoAllowed]).toContain(status)
      expect((await fetch(url, await signed(summary))).status).toBe(200)
      expect(events).toEqual([summary])
    },
  )
}
