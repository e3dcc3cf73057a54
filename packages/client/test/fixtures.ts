import { type ClientOptions, createClient } from '@wabakit/client'

/** A key that is found wherever it leaks to. */
export const apiKey = 'sk_live_7fH2/kQ+x9='

/** A client of a test's service. */
export const clientOf = (url: string, options: ClientOptions = {}) =>
  createClient({ baseUrl: url, apiKey, ...options })

/** The least that creates a group. */
export const group = { wabaNumber: '+15550001111', subject: 'Order 7' }

/** A summary as the service sends it. */
export const summary = { recap: 'They agreed.', keyPoints: ['price'], nextSteps: ['send the offer'] }

/** What a promise rejects with; fails the test when it does not. */
export const rejectionOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('did not reject')
}
