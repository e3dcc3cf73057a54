import * as wabakit from 'wabakit'

/** The service to test against, and the features of the runtime. */
export type Environment = {
  readonly url: string
  readonly refusedUrl: string
  /** Set if network errors have codes. */
  readonly codes: boolean
  /** Set if the runtime hides redirects and sends its own User-Agent. */
  readonly browser: boolean
}

const apiKey = 'sk_matrix_0123456789'
const group = { wabaNumber: '+15550001111', subject: 'Order 7', groupId: 'order-7' }
const visitor = Math.random().toString(36).slice(2)

/** Checks the client in the current runtime, with web standards only. Rejects on the first failure. Returns the checks. */
export const checkClient = async (environment: Environment): Promise<string[]> => {
  const passed: string[] = []
  const check = (rule: string, isTrue: unknown, actual?: unknown) => {
    if (!isTrue)
      throw new Error(
        `Failed: ${rule}. Received ${actual instanceof Error ? actual : JSON.stringify(actual)}`,
      )
    passed.push(rule)
  }
  const client = (behavior: string, options: wabakit.ClientOptions = {}) =>
    wabakit.createClient({ baseUrl: `${environment.url}/${behavior}/${visitor}`, apiKey, ...options })
  const catchError = async (promise: Promise<unknown>): Promise<unknown> => {
    try {
      return new Error(`resolved to ${JSON.stringify(await promise)}`)
    } catch (error) {
      return error
    }
  }
  const isAbortError = (error: unknown) => error instanceof Error && error.name === 'AbortError'
  const isNamed = (error: unknown, name: string) => wabakit.isWabakitError(error) && error.name === name

  const created = await client('ok').groups.create(group).withResponse()
  check('creates a group', created.data.groupId === 'order-7' && created.requestId === 'req_1', created)

  const record = await client('ok').calls.getSummary('a/b?c=d&é')
  const headers = JSON.parse(record.summary.recap)
  check('fetches a summary by an encoded id', record.callId === 'a/b?c=d&é', record)
  check('sends the key', headers.authorization === apiKey, headers)
  const agent = String(headers['user-agent'])
  check('sends a User-Agent', agent.startsWith(environment.browser ? 'Mozilla/' : 'wabakit/'), agent)

  const refused = await catchError(client('400').groups.create(group))
  check(
    'rejects with the error class of the status',
    refused instanceof wabakit.BadRequestError && refused.code === 'invalid_subject',
    refused,
  )
  const shown = `${refused} ${JSON.stringify(refused)} ${refused instanceof Error && refused.stack}`
  check('keeps the key out of errors', shown.includes('[redacted]') && !shown.includes(apiKey), shown)

  const redirected = await catchError(client('redirect').groups.create(group))
  check('does not follow redirects', isNamed(redirected, 'ResponseFormatError'), redirected)

  check(
    'retries a create request after 503 storage_unavailable',
    (await client('once').groups.create(group)).success,
  )
  const { groupId } = await client('ok').groups.create({ ...group, groupId: undefined })
  check('generates a groupId', /^wagrp_[0-9A-HJKMNP-TV-Z]{26}$/.test(groupId), groupId)

  const slow = client('hang', { timeoutMs: 100, retry: { limit: 0 } })
  check('times out a GET request', isNamed(await catchError(slow.calls.getSummary('c')), 'TimeoutError'))
  check(
    'reports a create request without a response as OutcomeUnknownError',
    isNamed(await catchError(slow.groups.create(group)), 'OutcomeUnknownError'),
  )

  const controller = new AbortController()
  const reason = new Error('enough')
  setTimeout(() => controller.abort(reason), 50)
  const aborted = await catchError(client('hang').groups.create(group, controller))
  // React Native has no abort reasons.
  const isReason = 'reason' in controller.signal ? aborted === reason : isAbortError(aborted)
  check('rejects an aborted request with the reason itself', isReason, aborted)

  const dropped = client('drop', { retry: { limit: 0 } })
  check(
    'reports a dropped GET request as ConnectionError',
    isNamed(await catchError(dropped.calls.getSummary('c')), 'ConnectionError'),
  )
  check(
    'does not retry a dropped create request',
    isNamed(await catchError(dropped.groups.create(group)), 'OutcomeUnknownError'),
  )

  const nowhere = wabakit.createClient({
    baseUrl: environment.refusedUrl,
    apiKey,
    retry: { limit: 1, backoffMs: [0, 0] },
  })
  const name = environment.codes ? 'ConnectionError' : 'OutcomeUnknownError'
  const unconnected = await catchError(nowhere.groups.create(group))
  check(`reports a refused create request as ${name}`, isNamed(unconnected, name), unconnected)

  const waited = await client('pending').calls.waitForSummary('c', { intervalMs: 20 })
  check('waits for a summary', waited.callId === 'c', waited)
  return passed
}
