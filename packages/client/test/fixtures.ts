import { type ClientOptions, createClient } from '@wabakit/client'

/** A key with characters that JSON, URLs and HTML escape. */
export const apiKey = 'sk_live_7fH2/kQ+x9='

export const createTestClient = (url: string, options: ClientOptions = {}) =>
  createClient({ baseUrl: url, apiKey, ...options })

/** A minimal group. */
export const group = { wabaNumber: '+15550001111', subject: 'Order 7' }

export const summary = { recap: 'They agreed.', keyPoints: ['price'], nextSteps: ['send the offer'] }

/** Returns the reason that a promise rejects with. Fails the test if the promise resolves. */
export const getRejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('did not reject')
}
